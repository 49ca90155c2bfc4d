import type { Origin } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { planClaim } from '../../core/provenance/plan-claim.ts'
import type { FencedVersion } from '../../ports/forget-store.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { originOf } from '../provenance/ingest.ts'
import { dissolveCompactions } from './compactions.ts'
import type { Work } from './work.ts'

/** All claims about a subject that is forgotten, with everything that was stated. */
export async function eraseClaims(work: Work): Promise<void> {
  const { tenant } = work
  for (let after: string | null = null; ; ) {
    await work.nextPage()
    const limit = limits.forgetPageMax
    const page = await tenant.storage.forget.claims({ tenantId: tenant.id, fences: work.fences, after, limit })
    if (page.length > 0) {
      const claims = page.map(({ claim: { revision, updatedPosition: _at, ...claim } }) => ({
        expects: revision,
        claim,
        before: [],
        assertions: [],
        withdrawn: [],
        repriced: [],
        isRemoved: true,
      }))
      const assertions = page.reduce((sum, item) => sum + item.assertions, 0)
      await work.step({ claims }, { claims: page.length, assertions })
      for (const { claim } of page) work.seen.add(removedKey(claim.claimId))
    }
    after = page.at(-1)?.claim.claimId ?? null
    if (after === null || page.length < limit) return
  }
}

const removedKey = (claimId: string) => `removed ${claimId}`

/** Who is a writer's or an event's word: it goes, and what others stated is decided without it. */
function isWithdrawn(work: Work, { service, sourceEventId, recordedPosition }: Assertion): boolean {
  return work.fences.some(({ kind, value, position }) => {
    if (recordedPosition > position) return false
    return (kind === 'writer' && value === service) || (kind === 'event' && value === sourceEventId)
  })
}

/**
 * A claim of which something goes: what was stated for it, or the entry that holds a content. The rest is decided anew in
 * the same commit, so there is no moment without a winner and none with two. False when there is no such claim any more.
 */
export async function settleClaim(work: Work, claimId: string): Promise<boolean> {
  if (work.seen.has(claimId)) return true
  // In a dry run it is still there.
  if (work.seen.has(removedKey(claimId))) return false
  const { tenant } = work
  const { provenance, forget } = tenant.storage
  const isThere = await decideAndCommit(async () => {
    const claim = await provenance.claim(tenant.id, claimId)
    if (claim === null) return false
    const all = await provenance.assertions(tenant.id, claimId)
    const ids = [...new Set(all.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
    const erased = await forget.among(tenant.id, work.fences, ids)
    const gone = await wholly(work, erased)
    // By its writer or event an entry goes with their word for it; by anything else the content itself is meant.
    const isByWord = work.fences.some(({ kind }) => kind === 'writer' || kind === 'event')
    const contents = new Set(all.flatMap((item) => (gone.has(item.entryId ?? '') ? [item.contentKey] : [])))
    const goes = (item: Assertion) => isWithdrawn(work, item) || (!isByWord && contents.has(item.contentKey))
    const removed = all.filter(goes)
    if (removed.length === 0 && erased.length === 0) return true
    const left = all
      .filter((item) => !goes(item))
      .map((item) => (gone.has(item.entryId ?? '') ? { ...item, entryId: null } : item))
    const plan = await decide(work, { ...claim, pin: keepPin(claim.pin, left) }, left)
    const payloads = isByWord ? [] : await keptPayloads(work, removed)
    const step = {
      ...plan.step,
      before: all,
      removed: removed.map(({ ordinal }) => ordinal),
      detached: [...gone],
      isRemoved: left.length === 0,
    }
    const dissolved = await dissolveCompactions(work, [...gone])
    await work.step(
      {
        puts: plan.puts,
        revisions: [...plan.revisions, ...dissolved.revisions],
        ends: plan.ends,
        expects: plan.expects,
        claims: [step],
        erasures: erased,
        payloadsRedacted: payloads,
        forgetting: { compactions: dissolved.compactions },
      },
      {
        ...countVersions(erased),
        claims: 1,
        assertions: removed.length,
        payloads: payloads.length,
        compactions: dissolved.compactions.length,
      },
    )
    // Not before: a step that lost to another writer is decided again, and must find all of this again.
    for (const id of [...payloads, ...dissolved.compactions]) work.seen.add(id)
    return true
  })
  work.seen.add(claimId)
  return isThere
}

/** The entries of which no version is left. One that was edited goes on with the words of its editor. */
async function wholly({ tenant }: Work, erased: readonly FencedVersion[]): Promise<Set<string>> {
  const gone = new Set<string>()
  for (const [entryId, versions] of Map.groupBy(erased, (version) => version.entryId)) {
    const numbers = new Set(versions.map(({ version }) => version))
    const all = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
    if (all.every(({ version }) => numbers.has(version))) gone.add(entryId)
  }
  return gone
}

export function countVersions(versions: readonly FencedVersion[]) {
  return {
    entries: new Set(versions.map(({ entryId }) => entryId)).size,
    versions: versions.length,
    tags: versions.reduce((sum, { tags }) => sum + tags, 0),
  }
}

function keepPin<T extends { readonly contentKey: string }>(pin: T | null, left: readonly Assertion[]): T | null {
  return pin !== null && left.some(({ contentKey }) => contentKey === pin.contentKey) ? pin : null
}

type LoadedClaim = NonNullable<Awaited<ReturnType<Work['tenant']['storage']['provenance']['claim']>>>

async function decide(work: Work, claim: LoadedClaim, left: readonly Assertion[]) {
  const { tenant } = work
  const ids = [...new Set(left.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const { claimId, subject, category, claimKey } = claim
  const state = { claim, assertions: left, entries: new Map(entries.map((entry) => [entry.entryId, entry])) }
  const make = { entryId: () => tenant.system.newId('mem'), salt: () => tenant.system.newSalt() }
  const origins = await originsOf(work, left)
  return planClaim({ claimId, subject, category, claimKey }, state, { pin: claim.pin, origins }, make)
}

/** Where a content comes from whose entry goes: the event that stated it. */
async function originsOf(work: Work, left: readonly Assertion[]): Promise<ReadonlyMap<string, Origin>> {
  const origins = new Map<string, Origin>()
  for (const { entryId, sourceEventId } of left) {
    if (entryId !== null || origins.has(sourceEventId)) continue
    const event = await work.tenant.storage.provenance.sourceEvent(work.tenant.id, sourceEventId)
    if (event !== null && !event.isErased) origins.set(sourceEventId, originOf(event))
  }
  return origins
}

/** Events whose messages are still kept and hold the words of what goes. */
async function keptPayloads(work: Work, removed: readonly Assertion[]): Promise<string[]> {
  const kept: string[] = []
  for (const id of new Set(removed.map(({ sourceEventId }) => sourceEventId))) {
    if (work.seen.has(id)) continue
    const event = await work.tenant.storage.provenance.sourceEvent(work.tenant.id, id)
    if (event !== null && event.messages !== null) kept.push(id)
  }
  return kept
}

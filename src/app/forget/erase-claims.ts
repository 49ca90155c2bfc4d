import { commonReaders } from '../../core/entries/access.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { limits } from '../../core/limits.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import type { ContentOrigin } from '../../core/provenance/claim-plan.ts'
import { planClaim } from '../../core/provenance/plan-claim.ts'
import type { FencedVersion } from '../../ports/forget-store.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { originOf } from '../provenance/origin-of-event.ts'
import { trustRulesFor } from '../provenance/trust-rules.ts'
import { dissolveCompactions } from './erase-compactions.ts'
import type { ForgetProcess } from './forget-process.ts'

/** Deletes all claims about a forgotten subject, with their assertions. */
export async function eraseClaims(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const limit = limits.forgetPageMax
  const read = (after: string | null) =>
    tenant.storage.forget.claims({ tenantId: tenant.id, fences: erasure.fences, after, limit })
  for await (const page of erasure.pages(read, ({ claim }) => claim.claimId, limit)) {
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
    await erasure.step({ claims }, { claims: page.length, assertions })
    for (const { claim } of page) erasure.seen.add(removedKey(claim.claimId))
  }
}

const removedKey = (claimId: string) => `removed ${claimId}`

/** Whether a fence on a writer or a source event covers an assertion. It is deleted, and the claim is decided from the others. */
function isWithdrawn(erasure: ForgetProcess, { service, sourceEventId, recordedPosition }: Assertion): boolean {
  return erasure.fences.some(({ kind, value, position }) => {
    if (recordedPosition > position) return false
    return (kind === 'writer' && value === service) || (kind === 'event' && value === sourceEventId)
  })
}

/**
 * Erases the forgotten assertions and entries of one claim. The claim is decided again from the rest in the same commit, so it never
 * has no winner or two. False when the claim does not exist any more.
 */
export async function settleClaim(erasure: ForgetProcess, claimId: string): Promise<boolean> {
  if (erasure.seen.has(claimId)) return true
  // In a dry run the claim is still stored.
  if (erasure.seen.has(removedKey(claimId))) return false
  const { tenant } = erasure
  const { provenance, forget } = tenant.storage
  const isThere = await decideAndCommit(async () => {
    const claim = await provenance.claim(tenant.id, claimId)
    if (claim === null) return false
    const all = await provenance.assertions(tenant.id, claimId)
    const ids = [...new Set(all.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
    const erased = await forget.among(tenant.id, erasure.fences, ids)
    const gone = await fullyErased(erasure, erased)
    // A fence on a writer or an event erases their assertions only. Any other fence erases the content, whichever source stated it.
    const isBySource = erasure.fences.some(({ kind }) => kind === 'writer' || kind === 'event')
    const contents = new Set(all.flatMap((item) => (gone.has(item.entryId ?? '') ? [item.contentKey] : [])))
    const isForgotten = (item: Assertion) =>
      isWithdrawn(erasure, item) || (!isBySource && contents.has(item.contentKey))
    const removed = all.filter(isForgotten)
    if (removed.length === 0 && erased.length === 0) return true
    const left = all
      .filter((item) => !isForgotten(item))
      .map((item) => (gone.has(item.entryId ?? '') ? { ...item, entryId: null } : item))
    const readers = new Map(all.flatMap((item) => keyedReaders(item, gone)))
    const plan = await decide(erasure, { ...claim, pin: keepPin(claim.pin, left) }, left, readers)
    const payloads = isBySource ? [] : await keptPayloads(erasure, removed)
    const step = {
      ...plan.step,
      before: all,
      removed: removed.map(({ ordinal }) => ordinal),
      detached: [...gone.keys()],
      isRemoved: left.length === 0,
    }
    const dissolved = await dissolveCompactions(erasure, [...gone.keys()])
    await erasure.step(
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
    // Only after the commit: after a conflict the step is decided again and must find all of these again.
    for (const id of [...payloads, ...dissolved.compactions]) erasure.seen.add(id)
    return true
  })
  erasure.seen.add(claimId)
  return isThere
}

/** The entries with no version left, and their readers. An edited entry keeps the version of its editor. */
async function fullyErased(
  { tenant }: ForgetProcess,
  erased: readonly FencedVersion[],
): Promise<ReadonlyMap<string, Readers>> {
  const gone = new Map<string, Readers>()
  for (const [entryId, versions] of Map.groupBy(erased, (version) => version.entryId)) {
    const numbers = new Set(versions.map(({ version }) => version))
    const all = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
    if (all.every(({ version }) => numbers.has(version))) gone.set(entryId, versions[0]?.readers ?? null)
  }
  return gone
}

/** The readers of an erased entry, by the content that gets a new one: a new entry is never readable for more than the old one was. */
function keyedReaders({ contentKey, entryId }: Assertion, gone: ReadonlyMap<string, Readers>): [string, Readers][] {
  return entryId !== null && gone.has(entryId) ? [[contentKey, gone.get(entryId) ?? null]] : []
}

/** Counts of entries, versions and tags for the receipt. */
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

type LoadedClaim = NonNullable<Awaited<ReturnType<ForgetProcess['tenant']['storage']['provenance']['claim']>>>

async function decide(
  erasure: ForgetProcess,
  claim: LoadedClaim,
  left: readonly Assertion[],
  readers: ReadonlyMap<string, Readers>,
) {
  const { tenant } = erasure
  const ids = [...new Set(left.flatMap(({ entryId }) => (entryId === null ? [] : [entryId])))]
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const { claimId, subject, category, claimKey } = claim
  const rules = await trustRulesFor(tenant, left)
  const state = { claim, assertions: left, entries: new Map(entries.map((entry) => [entry.entryId, entry])), rules }
  const make = { entryId: () => tenant.system.newId('mem'), salt: () => tenant.system.newSalt() }
  const origins = await originsOf(erasure, left, readers)
  return planClaim({ claimId, subject, category, claimKey }, state, { pin: claim.pin, origins }, make)
}

/** The origins of contents whose entry is erased: the source event that stated them. */
async function originsOf(
  erasure: ForgetProcess,
  left: readonly Assertion[],
  readers: ReadonlyMap<string, Readers>,
): Promise<ReadonlyMap<string, ContentOrigin>> {
  const origins = new Map<string, ContentOrigin>()
  for (const { entryId, sourceEventId, contentKey } of left) {
    if (entryId !== null) continue
    const event = await erasure.tenant.storage.provenance.sourceEvent(erasure.tenant.id, sourceEventId)
    if (event === null || event.isErased) continue
    // Several contents of one event: each is readable for no more than all of them, as one origin is used for all.
    const known = origins.get(sourceEventId)?.readers ?? null
    const common = commonReaders([event.readers, readers.get(contentKey) ?? null, known])
    origins.set(sourceEventId, { origin: originOf(event), readers: common })
  }
  return origins
}

/** Source events of erased assertions whose messages are still stored. */
async function keptPayloads(erasure: ForgetProcess, removed: readonly Assertion[]): Promise<string[]> {
  const kept: string[] = []
  for (const id of new Set(removed.map(({ sourceEventId }) => sourceEventId))) {
    if (erasure.seen.has(id)) continue
    const event = await erasure.tenant.storage.provenance.sourceEvent(erasure.tenant.id, id)
    if (event !== null && event.messages !== null) kept.push(id)
  }
  return kept
}

import type { NewEntry } from '../../core/commit/batch.ts'
import {
  type EntryMoves,
  type EntryText,
  endAgain,
  type MoveOptions,
  moveEntry,
} from '../../core/containment/move-entry.ts'
import { type ClaimEntry, planContainedClaim } from '../../core/containment/plan-contained-claim.ts'
import {
  type ContainedHistory,
  containedReason,
  type EntryState,
  stateWithout,
} from '../../core/containment/state-without.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { type Assertion, type ClaimRecord, isCounted } from '../../core/provenance/claim.ts'
import type { ContentOrigin } from '../../core/provenance/claim-plan.ts'
import type { ClaimStep, ContainmentMarks } from '../../core/provenance/claim-step.ts'
import { readersOfMessage, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import { originOfContent } from '../entries/content-origin.ts'
import { createTimeSlice } from '../event-loop.ts'
import { originOf } from '../provenance/origin-of-event.ts'
import { trustRulesFor } from '../provenance/trust-rules.ts'
import type { Tenant } from '../tenant.ts'
import type { ClaimRow } from './containment-record.ts'
import type { Lineage } from './lineage.ts'
import type { Remarked } from './marks.ts'

type Inputs = {
  readonly entryIds: Iterable<string>
  readonly claimIds: Iterable<string>
  readonly lineage: Lineage
  /** The positions of all containments and releases. */
  readonly positions: ReadonlySet<number>
  /** How the marks and the pin of a claim change. `stateOf` gives the state of one of its entries. */
  readonly remark: (
    claim: ClaimRecord,
    assertions: readonly Assertion[],
    stateOf: (entryId: string) => EntryState | undefined,
  ) => Remarked
  readonly replaces?: 'contained'
}

/** The change of a containment or a release. */
export type Moves = EntryMoves & {
  readonly puts: NewEntry[]
  readonly claims: ClaimStep[]
  readonly winners: ClaimRow[]
}

/** Brings entries and claims to the state that they have under the active containments. Only reads and decides. */
export async function planMoves(tenant: Tenant, inputs: Inputs): Promise<Moves> {
  const moves: Moves = { puts: [], revisions: [], ends: [], expects: [], claims: [], winners: [] }
  const options: MoveOptions & { readonly entryId: () => string } = {
    salt: () => tenant.system.newSalt(),
    entryId: () => tenant.system.newId('mem'),
    now: tenant.expiryNow(),
    replaces: inputs.replaces,
  }
  const slice = createTimeSlice()
  const claimIds = new Set(inputs.claimIds)
  const load = async (entryId: string) => loadEntry(tenant, entryId, inputs)
  for (const entryId of inputs.entryIds) {
    await slice()
    const entry = await load(entryId)
    if (entry === null) continue
    const claimId = entry.newest.classification?.claimId ?? null
    const claim = claimId === null ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
    if (claim !== null) claimIds.add(claim.claimId)
    else await movePlainEntry(tenant, entry, moves, options)
  }
  for (const claimId of claimIds) {
    await slice()
    await moveClaim(tenant, claimId, inputs, moves, options)
  }
  return moves
}

async function loadEntry(tenant: Tenant, entryId: string, { lineage, positions }: Inputs): Promise<ClaimEntry | null> {
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
  const newest = versions.at(-1)
  if (newest === undefined) return null
  const known = lineage.entry(entryId)
  const history: ContainedHistory = {
    isAffected: (version) => known?.versions.has(version) ?? false,
    isEndAffected: (version) => known?.ends.has(version) ?? false,
    isOfContainment: (position) => positions.has(position),
  }
  return { newest, state: stateWithout(versions, history) }
}

async function movePlainEntry(
  tenant: Tenant,
  { newest, state }: ClaimEntry,
  moves: Moves,
  options: MoveOptions,
): Promise<void> {
  const { text, status } = state
  if (endAgain(newest, status, moves, options)) return
  if (text === null) {
    // What is not listed anyway stays as it is.
    const isListed = newest.endedPosition === null || newest.endedReason === 'archived'
    if (isListed) moveEntry(newest, { text: null, status: containedReason }, moves, options)
    return
  }
  moveEntry(newest, { text: await withOrigin(tenant, text), status }, moves, options)
}

/** The next version has another audit record, so the key that wrote the text is named in its origin. */
async function withOrigin(tenant: Tenant, version: EntryVersion): Promise<EntryText> {
  return { ...version, origin: await originOfContent(tenant, version) }
}

async function moveClaim(
  tenant: Tenant,
  claimId: string,
  inputs: Inputs,
  moves: Moves,
  options: MoveOptions & { readonly entryId: () => string },
): Promise<void> {
  const { provenance } = tenant.storage
  const claim = await provenance.claim(tenant.id, claimId)
  if (claim === null) return
  const assertions = await provenance.assertions(tenant.id, claimId)
  const entries = new Map<string, ClaimEntry>()
  for (const entryId of new Set(assertions.flatMap((item) => item.entryId ?? []))) {
    const entry = await loadEntry(tenant, entryId, inputs)
    if (entry !== null) entries.set(entryId, entry)
  }
  const { marked, pin, withdrawn = [] } = inputs.remark(claim, assertions, (entryId) => entries.get(entryId)?.state)
  const origins = await originsOf(tenant, assertions, marked, entries)
  const rules = await trustRulesFor(tenant, assertions)
  const step = planContainedClaim({ claim, assertions, entries, marked, pin, origins, rules }, moves, options)
  moves.winners.push({
    id: claimId,
    before: claim.winner,
    after: step.claim.winner,
    ...(withdrawn.length === 0 ? {} : { withdrawn }),
  })
  const isChanged = marked.length > 0 || pin !== claim.pin || step.claim.winner !== claim.winner
  if (isChanged || step.attached !== undefined) moves.claims.push(step)
}

/** The origins of the contents whose entry has no text left, or that have no entry. */
async function originsOf(
  tenant: Tenant,
  assertions: readonly Assertion[],
  marked: readonly ContainmentMarks[],
  entries: ReadonlyMap<string, ClaimEntry>,
): Promise<ReadonlyMap<string, ContentOrigin>> {
  const marks = new Map(marked.map((item) => [item.ordinal, item]))
  const origins = new Map<string, ContentOrigin>()
  for (const assertion of assertions) {
    const { entryId, sourceEventId, ordinal } = assertion
    const hasText = entryId !== null && (entries.get(entryId)?.state.text ?? null) !== null
    if (hasText || origins.has(sourceEventId) || !isCounted({ ...assertion, ...marks.get(ordinal) })) continue
    const event = await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
    if (event !== null && !event.isErased)
      origins.set(sourceEventId, { origin: originOf(event), readers: readersOf(event) })
  }
  return origins
}

/** Those who may read every message of an event: a new entry is never readable for more. */
function readersOf(event: SourceEventRecord): Readers {
  return commonReaders([event.readers, ...(event.messages ?? []).map((message) => readersOfMessage(event, message))])
}

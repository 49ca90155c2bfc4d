import type { ConsolidationItem, Merge } from '../../core/consolidation/consolidation.ts'
import { reasonOf } from '../../core/consolidation/consolidation.ts'
import { isConsolidated, needsWriter, toItem } from '../../core/consolidation/consolidation-item.ts'
import { planMerges } from '../../core/consolidation/plan-merges.ts'
import { type ProposedPair, proposePairs } from '../../core/consolidation/propose-pairs.ts'
import { featuresOf } from '../../core/consolidation/text-features.ts'
import { currentView } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { createTimeSlice } from '../event-loop.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { findAuthor, findWriter } from './find-writer.ts'

/** What a pass finds in a ref now: how many entries it has, and which of them become one. */
export type RefPlan = { readonly entries: number; readonly merges: readonly Merge[] }

/** Reads a ref page by page and plans its merges. It keeps keys in memory, not texts, and yields to the event loop. */
export async function planRef(tenant: Tenant, memoryRef: string, signal: AbortSignal): Promise<RefPlan> {
  const { entries, items, personal } = await scanRef(tenant, memoryRef, signal)
  const merges: Merge[] = []
  for (const merge of await finish(planMerges(items), signal)) {
    signal.throwIfAborted()
    const needsAuthor = merge.reason === 'correction' || merge.sources.some(({ entryId }) => personal.has(entryId))
    const part = needsAuthor ? await partOfAuthor(tenant, merge) : merge
    if (part.sources.length > 1) merges.push(part)
  }
  return { entries, merges }
}

/**
 * The merge with only what the author of the kept text wrote: a key corrects its own texts, and "I" is another person for another key. Most
 * entries name no key, so the rules see one writer where the audit log names several.
 */
async function partOfAuthor(tenant: Tenant, merge: Merge): Promise<Merge> {
  const ids = merge.sources.map(({ entryId }) => entryId)
  const authors = new Map<string, string>()
  for (const version of await tenant.storage.provenance.newestVersions(tenant.id, ids))
    authors.set(version.entryId, await findAuthor(tenant, version))
  const author = authors.get(merge.kept)
  return { ...merge, sources: merge.sources.filter(({ entryId }) => authors.get(entryId) === author) }
}

/** The pairs of a ref that a model may be asked about, the most alike first. Entries that the rules merge are left out. */
export async function pairsOfRef(
  tenant: Tenant,
  memoryRef: string,
  max: number,
  signal: AbortSignal,
): Promise<readonly ProposedPair[]> {
  const { items } = await scanRef(tenant, memoryRef, signal)
  const merges = await finish(planMerges(items), signal)
  const merged = new Set(merges.flatMap(({ sources }) => sources.map(({ entryId }) => entryId)))
  const left = items.filter(({ entryId }) => !merged.has(entryId))
  return finish(proposePairs(left, max), signal)
}

async function scanRef(tenant: Tenant, memoryRef: string, signal: AbortSignal) {
  const { trustFloorRead } = await loadSettings(tenant.storage, tenant.id)
  const slice = createTimeSlice()
  const items: ConsolidationItem[] = []
  /** Texts about their own author. */
  const personal = new Set<string>()
  let entries = 0
  const now = tenant.expiryNow()
  for await (const versions of pagesOf(tenant, memoryRef, now, signal)) {
    entries += versions.length
    const candidates = versions.filter((version) => isConsolidated(version, now, trustFloorRead))
    const apart = await takenApart(tenant, candidates)
    for (const version of candidates) {
      await slice()
      if (apart.has(version.entryId)) continue
      const features = featuresOf(version.content)
      const writer = needsWriter(features) ? await findWriter(tenant, version) : ''
      if (features.isPersonal) personal.add(version.entryId)
      items.push(toItem(version, { writer, features }, 'short'))
    }
    if (items.length > limits.consolidationEntriesMax) throw tooMany()
  }
  return { entries, items, personal }
}

async function finish<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  const slice = createTimeSlice()
  for (;;) {
    await slice()
    signal.throwIfAborted()
    const step = work.next()
    if (step.done) return step.value
  }
}

function tooMany() {
  const max = limits.consolidationEntriesMax
  const problem = `has more than ${max} entries, which is more than a consolidation compares; compact it first`
  return invalid('memoryRef', problem, { limit: 'consolidationEntriesMax', max })
}

async function* pagesOf(
  tenant: Tenant,
  memoryRef: string,
  now: number,
  signal: AbortSignal,
): AsyncGenerator<readonly EntryVersion[]> {
  const limit = limits.consolidationPageEntriesMax
  for (let before: Place | null = null; ; ) {
    signal.throwIfAborted()
    const query = { tenantId: tenant.id, memoryRef, tag: null, view: currentView, now, before, limit }
    const { versions } = await tenant.storage.list(query)
    // Those of another spelling of the same person have a pass of their own.
    yield versions.filter((version) => version.memoryRef === memoryRef)
    const last = versions.at(-1)
    if (last === undefined || versions.length < limit) return
    before = { createdPosition: last.createdPosition, ordinal: last.ordinal }
  }
}

/** The entries whose merge was undone. What a person has taken apart is not merged again. An undo gives each of them a further version. */
async function takenApart(tenant: Tenant, versions: readonly EntryVersion[]): Promise<ReadonlySet<string>> {
  const ids = versions.filter(({ version }) => version > 1).map(({ entryId }) => entryId)
  const { compactions } = tenant.storage
  const made = ids.length === 0 ? [] : await compactions.derivedFrom(tenant.id, ids)
  const undone = made.filter(({ status, summariser }) => status === 'undone' && reasonOf(summariser) !== null)
  const sources = await Promise.all(undone.map(({ compactionId }) => compactions.sources(tenant.id, compactionId)))
  return new Set(sources.flat().map(({ entryId }) => entryId))
}

import type { NewEntry } from '../../core/commit/batch.ts'
import { commonReaders } from '../../core/entries/access.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunFacts } from '../../core/run/run.ts'
import { childRunsOf } from '../../core/run/run-children.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { Tenant } from '../tenant.ts'
import { allCalls } from './recorded-run.ts'
import { isRead } from './run-families.ts'

/** What the step writes, for those who may today read what the run has read. */
export async function narrowedPuts(tenant: Tenant, progress: RunProgress): Promise<readonly NewEntry[]> {
  const { puts } = progress
  // Session summaries hold no content, and what a deletion makes current again is not derived from what the run has read.
  const isOfRun = ({ origin }: NewEntry) => origin.kind === 'run'
  if (!puts.some(isOfRun)) return puts
  const readers = await readersOfReads(tenant, progress)
  if (readers === null) return puts
  return puts.map((put) => (isOfRun(put) ? { ...put, readers: commonReaders([put.readers ?? null, readers]) } : put))
}

/**
 * Who may today read everything that the run has read: readers may have been taken away since. Only a run that has read something, or
 * could have got it from a parent or a child, asks for them.
 */
export async function readersOfReads(tenant: Tenant, progress: RunProgress): Promise<Readers> {
  const entryIds = [...new Set(await entriesRead(tenant, progress))]
  if (entryIds.length > 0) progress.noteReaders(await tenant.storage.provenance.newestVersions(tenant.id, entryIds))
  return progress.facts.readers ?? null
}

async function entriesRead(tenant: Tenant, { base, facts, calls }: RunProgress): Promise<string[]> {
  const stored = base.facts.memoryCalls > base.facts.memoryWrites ? await allCalls(tenant, base.runId) : []
  const own = entriesOf([...stored, ...calls])
  return [...own, ...(await readByChildren(tenant, facts)), ...(await readByParents(tenant, base))]
}

/** A parent has the outputs of the children that it has waited for. */
async function readByChildren(tenant: Tenant, facts: RunFacts): Promise<string[]> {
  const ids: string[] = []
  const dispatched = new Set(facts.dispatched?.map(({ runId }) => runId))
  for (const { nodeId, runId } of childRunsOf(facts)) {
    if (!dispatched.has(runId) && facts.nodes[nodeId]?.status !== 'completed') continue
    const child = await tenant.storage.runs.get(tenant.id, runId)
    if (child === null) continue
    ids.push(...entriesOf(await allCalls(tenant, runId)), ...(await readByChildren(tenant, child.facts)))
  }
  return ids
}

/** A child has values that its parents had when it was created, and so has a branch of the child. */
async function readByParents(tenant: Tenant, { facts, createdAt }: Run): Promise<string[]> {
  const { parent, fork } = facts
  const before = parent?.runId ?? fork?.sourceRunId
  const run = before === undefined ? null : await tenant.storage.runs.get(tenant.id, before)
  if (run === null) return []
  // A branch has taken over the calls of its source.
  const calls = parent === null ? [] : await allCalls(tenant, run.runId)
  return [...entriesOf(calls.filter(({ at }) => at <= createdAt)), ...(await readByParents(tenant, run))]
}

function entriesOf(calls: readonly MemoryCall[]): string[] {
  const stored = calls.filter((call) => isRead(call) && !isEphemeralRef(call.memoryRef))
  return stored.flatMap(({ entries }) => entries.map(({ id }) => id))
}

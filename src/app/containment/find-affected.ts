import { isDistillation } from '../../core/compaction/compaction.ts'
import type { ContainmentRequest } from '../../core/containment/selector.ts'
import { limits } from '../../core/limits.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { CallPlace } from '../../ports/run-store.ts'
import { createTimeSlice } from '../event-loop.ts'
import { entriesOfEvent } from '../provenance/readable-claims.ts'
import { allCalls, allEvents } from '../runs/recorded-run.ts'
import { allRuns, isRead, withFamilies } from '../runs/run-families.ts'
import type { Tenant } from '../tenant.ts'
import { Affected } from './affected.ts'
import { findSeeds } from './find-seeds.ts'

/**
 * Finds everything that came from the selector, or was derived from it, until a round finds nothing new: the contents of its source events,
 * the outputs of compactions, and what runs wrote after they read any of it. Only reads, in pages.
 */
export async function findAffected(tenant: Tenant, request: ContainmentRequest, upTo: number): Promise<Affected> {
  const { selector, since } = request
  const from = await firstPosition(tenant, since)
  const createdSince = since === null ? 0 : 'instant' in since ? since.instant : await instantOf(tenant, from)
  const affected = new Affected(selector, from, createdSince)
  await findSeeds(tenant, affected, upTo)
  await findStatements(tenant, affected)
  for (let rounds = 0; ; rounds++) {
    const isMore = await examineEntries(tenant, affected)
    const sizes = sizeOf(affected)
    if (isMore || rounds === 0) await findReaders(tenant, affected)
    await findRelatives(tenant, affected)
    await findWritesOfRuns(tenant, affected)
    if (affected.pending.size === 0 && sizeOf(affected) === sizes) break
  }
  await dropUnknownRun(tenant, affected)
  return affected
}

/** A run of another host, or of a mistyped id, that wrote nothing here is not affected. */
async function dropUnknownRun(tenant: Tenant, affected: Affected): Promise<void> {
  const { kind, value } = affected.selector
  if (kind !== 'run' || affected.entries.size > 0) return
  if ((await tenant.storage.runs.logStatus(tenant.id, value)) === null) affected.runs.delete(value)
}

/** The first position that counts. */
async function firstPosition(tenant: Tenant, since: ContainmentRequest['since']): Promise<number> {
  if (since === null) return 0
  return 'position' in since ? since.position : (await tenant.storage.positionAt(tenant.id, since.instant - 1)) + 1
}

async function instantOf(tenant: Tenant, position: number): Promise<number> {
  const [row] = await tenant.storage.audit({
    tenantId: tenant.id,
    from: position,
    to: Number.MAX_SAFE_INTEGER,
    limit: 1,
  })
  return row?.at ?? Number.MAX_SAFE_INTEGER
}

/** Runs may be affected from an earlier sequence on than before, so their number is not enough. */
function sizeOf({ runs, compactions, entries }: Affected): string {
  let sequences = 0
  for (const from of runs.values()) sequences += from
  return `${runs.size} ${sequences} ${compactions.size} ${entries.size}`
}

/** The assertions of the contained source events, and the entries of their contents. */
async function findStatements(tenant: Tenant, affected: Affected): Promise<void> {
  const slice = createTimeSlice()
  for (const id of affected.events) {
    await slice()
    for (const entryId of await entriesOfEvent(tenant, id)) affected.pending.add(entryId)
    for (const { claimId, ordinal, entryId, recordedPosition } of await tenant.storage.provenance.assertionsOfEvent(
      tenant.id,
      id,
    )) {
      affected.noteStated(claimId, ordinal)
      // An edit withdraws the content that it replaces, in the same commit.
      affected.withdrawnAt.add(recordedPosition)
      if (entryId !== null) affected.pending.add(entryId)
    }
  }
}

/** Examines the pending entries, and finds the compactions that were made of them. True when there are new affected versions. */
async function examineEntries(tenant: Tenant, affected: Affected): Promise<boolean> {
  const slice = createTimeSlice()
  let isMore = false
  while (affected.pending.size > 0) {
    const grown: string[] = []
    for (const entryId of [...affected.pending]) {
      await slice()
      affected.pending.delete(entryId)
      const versions = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
      if (affected.examine(entryId, versions)) grown.push(entryId)
    }
    isMore ||= grown.length > 0
    await findCompactions(tenant, affected, grown)
  }
  return isMore
}

/** The outputs are affected. The other sources come back: without the affected ones there would have been no such compaction. */
async function findCompactions(tenant: Tenant, affected: Affected, entryIds: readonly string[]): Promise<void> {
  const { compactions } = tenant.storage
  for (let index = 0; index < entryIds.length; index += limits.forgetPageMax) {
    const page = entryIds.slice(index, index + limits.forgetPageMax)
    for (const compaction of await compactions.derivedFrom(tenant.id, page)) {
      const { compactionId, outputId } = compaction
      if (affected.compactions.has(compactionId)) continue
      const sources = await compactions.sources(tenant.id, compactionId)
      if (!sources.some(({ entryId, version }) => affected.isAffected(entryId, version))) continue
      affected.compactions.add(compactionId)
      affected.pending.add(outputId)
      // The sources of a distillation have not ended.
      if (isDistillation(compaction)) continue
      for (const { entryId, version } of sources) affected.noteEnd(entryId, version)
    }
  }
}

/** The runs that read an affected version, from the read journal. */
async function findReaders(tenant: Tenant, affected: Affected): Promise<void> {
  const slice = createTimeSlice()
  for (let after: CallPlace | null = null; ; ) {
    await slice()
    const limit = limits.forgetPageMax
    const page: readonly (MemoryCall & { readonly runId: string })[] = await tenant.storage.runs.scanCalls({
      tenantId: tenant.id,
      after,
      limit,
    })
    for (const call of page) {
      if (!isRead(call)) continue
      const read = call.entries.filter(({ id, version }) => affected.isAffected(id, version))
      if (read.length === 0) continue
      affected.noteRun(call.runId, call.sequence)
      const known = affected.readers.get(call.runId) ?? new Set<string>()
      for (const { id } of read) known.add(id)
      affected.readers.set(call.runId, known)
    }
    after = page.at(-1) ?? null
    if (after === null || page.length < limit) return
  }
}

/** Parents, children and branches of affected runs. */
async function findRelatives(tenant: Tenant, affected: Affected): Promise<void> {
  if (affected.runs.size === 0) return
  for (const [runId, from] of await withFamilies(tenant, affected.runs, { fromEnd: true }))
    if (from !== null) affected.noteRun(runId, from)
  for await (const { runId, sourceRunId } of allRuns(tenant)) {
    const from = sourceRunId === null ? undefined : affected.runs.get(sourceRunId)
    if (from === undefined) continue
    const fork = (await tenant.storage.runs.get(tenant.id, runId))?.facts.fork
    // A fork has the events of its source before the one that it begins with, and their values.
    if (fork && from < fork.fromSeq) affected.noteRun(runId, from)
  }
}

/** What affected runs wrote and deleted, from their own records. */
async function findWritesOfRuns(tenant: Tenant, affected: Affected): Promise<void> {
  const slice = createTimeSlice()
  for (const [runId, from] of affected.runs) {
    await slice()
    if (affected.searchedRuns.get(runId) === from) continue
    affected.searchedRuns.set(runId, from)
    for (const { type, sequence, payload } of await allEvents(tenant, runId)) {
      const { memoryId } = payload as { memoryId?: unknown }
      if (type === 'memory.written' && sequence >= from && typeof memoryId === 'string') affected.pending.add(memoryId)
    }
    for (const { op, sequence, entries } of await allCalls(tenant, runId)) {
      if (sequence < from) continue
      // The event of a workspace file names no entry: its call does.
      if (op === 'put') for (const { id } of entries) affected.pending.add(id)
      if (op === 'delete') for (const { id, version } of entries) await noteDeletion(tenant, affected, id, version)
    }
  }
}

async function noteDeletion(tenant: Tenant, affected: Affected, entryId: string, version: number): Promise<void> {
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
  const ended = versions.find((item) => item.version === version)
  // Another writer may have ended it before the run did.
  if (ended?.endedReason !== 'deleted' || ended.endedPosition === null) return
  if (affected.selector.kind === 'run' && ended.endedPosition < affected.from) return
  affected.noteEnd(entryId, version)
  affected.withdrawnAt.add(ended.endedPosition)
}

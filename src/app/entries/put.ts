import { checkCount, checkIdentifier, checkKnownKeys } from '../../core/check.ts'
import type { NewEntry } from '../../core/commit/batch.ts'
import {
  type EntryDraft,
  type MemoryEntry,
  type Origin,
  type ParsedDraft,
  parseDraft,
  toMemoryEntry,
} from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkWrittenRef, refuseHostMemoryRef } from '../../core/names.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import { type WriteOptions, writeOptionKeys } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { underStoredNames } from '../people/stored-spellings.ts'
import type { Tenant } from '../tenant.ts'
import { repeatedVersions } from './repeated-call.ts'

/** The run and node that make a write. Reads of the same run see the entry before it is part of a snapshot. */
export type RunWrite = {
  readonly runId: string
  /** The number of the run event that wrote the entry. It orders the writes of one run. */
  readonly sequence: number
  readonly nodeId?: string
  readonly agentId?: string
}

/** Options of `put` and `putMany`. */
export type PutOptions = WriteOptions & {
  /** Set by programs that run workflows themselves: the run that the entry comes from. */
  readonly run?: RunWrite
}

const putOptionKeys = [...writeOptionKeys, 'run'] as const

/** The result of `putMany`. */
export type PutManyResult = {
  /** In the order of the drafts. */
  readonly entries: readonly MemoryEntry[]
  /** The position of the tenant at which they were stored. */
  readonly position: number
  /** True when an earlier call with the same idempotency key stored them. */
  readonly repeated: boolean
}

/** Stores one entry. */
export async function put(
  tenant: Tenant,
  memoryRef: string,
  draft: EntryDraft,
  options: PutOptions = {},
): Promise<MemoryEntry> {
  const { entries } = await putEntries(tenant, memoryRef, [draft], options, 'put')
  const [entry] = entries
  if (!entry) throw new ColophonError('content_erased', 'The entry that the first call stored was erased.')
  return entry
}

/** Stores several entries in one transaction. The last one counts as the newest. */
export function putMany(
  tenant: Tenant,
  memoryRef: string,
  drafts: readonly EntryDraft[],
  options: PutOptions = {},
): Promise<PutManyResult> {
  return putEntries(tenant, memoryRef, drafts, options, 'put-many')
}

/**
 * Validates the drafts and stores them as one change. An idempotency key belongs to one operation, so a client may use the same key for
 * a `put` and for a `put-many`.
 */
export function putEntries(
  tenant: Tenant,
  memoryRef: string,
  drafts: readonly EntryDraft[],
  options: PutOptions,
  operation: 'put' | 'put-many',
): Promise<PutManyResult> {
  return withMemorySpan('create_memory', async (note) => {
    const result = await storeEntries(tenant, memoryRef, drafts, options, operation)
    const [entry, ...more] = result.entries
    note({ recordCount: drafts.length, ...(entry && more.length === 0 ? { recordId: entry.id } : {}) })
    return result
  })
}

async function storeEntries(
  tenant: Tenant,
  memoryRef: string,
  drafts: readonly EntryDraft[],
  options: PutOptions,
  operation: 'put' | 'put-many',
): Promise<PutManyResult> {
  checkKnownKeys('options', options, putOptionKeys)
  checkWrittenRef(memoryRef)
  if (!Array.isArray(drafts) || drafts.length === 0 || drafts.length > limits.batchEntriesMax) {
    throw invalid('entries', `must be an array of 1 to ${limits.batchEntriesMax}`, {
      limit: 'batchEntriesMax',
      max: limits.batchEntriesMax,
    })
  }
  const origin = parseOrigin(options.run)
  if (origin.kind === 'api') refuseHostMemoryRef(memoryRef)
  const parsed = drafts.map((draft) => parseDraft(draft))
  const named = underStoredNames(
    tenant,
    parsed.map((draft) => toNewEntry(tenant.engine, memoryRef, draft, origin)),
  )
  // No await unless ids have to be looked up: concurrent calls are then stored in the order in which they were made.
  const puts = named instanceof Promise ? await named : named
  const committed = await tenant.commit(
    { kind: 'memory.written', puts },
    { ...options, call: { operation, memoryRef, entries: parsed, run: options.run ?? null } },
  )
  const { repeated, outcome } = committed
  const versions = repeated ? await repeatedVersions(tenant, outcome) : committed.versions
  return { entries: versions.map(toMemoryEntry), position: outcome.position, repeated }
}

function toNewEntry(engine: Engine, memoryRef: string, draft: ParsedDraft, origin: Origin): NewEntry {
  return {
    ...draft,
    memoryRef,
    entryId: engine.system.newId('mem'),
    tags: [...draft.tags, sourceTag(origin)],
    origin,
    salt: engine.system.newSalt(),
  }
}

function parseOrigin(run: RunWrite | undefined): Origin {
  if (run === undefined) return { kind: 'api' }
  checkKnownKeys('run', run, ['runId', 'sequence', 'nodeId', 'agentId'])
  checkIdentifier('run.runId', run.runId, 'actorCharactersMax', limits.actorCharactersMax)
  checkCount('run.sequence', run.sequence, 0)
  for (const field of ['nodeId', 'agentId'] as const) {
    if (run[field] !== undefined)
      checkIdentifier(`run.${field}`, run[field], 'actorCharactersMax', limits.actorCharactersMax)
  }
  return { kind: 'run', ...run }
}

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
import { checkClientMemoryRef, checkWrittenRef } from '../../core/names.ts'
import { type WriteOptions, writeOptionKeys } from '../commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { repeatedVersions } from './repeated-call.ts'

/** The run and node a write comes from; the run's own view includes it. */
export type RunWrite = {
  readonly runId: string
  readonly sequence: number
  readonly nodeId?: string
  readonly agentId?: string
}

export type PutOptions = WriteOptions & { readonly run?: RunWrite }

const putOptionKeys = [...writeOptionKeys, 'run'] as const

export type PutManyResult = {
  readonly entries: readonly MemoryEntry[]
  readonly position: number
  /** True when this is the first call's result, given again. */
  readonly repeated: boolean
}

export async function put(
  tenant: Tenant,
  memoryRef: string,
  draft: EntryDraft,
  options: PutOptions = {},
): Promise<MemoryEntry> {
  const { entries } = await putEntries(tenant, memoryRef, [draft], options, 'put')
  const [entry] = entries
  if (!entry) throw new ColophonError('content_erased', 'What the first call stored is gone.')
  return entry
}

/** All of them or none; the last one is the newest. */
export function putMany(
  tenant: Tenant,
  memoryRef: string,
  drafts: readonly EntryDraft[],
  options: PutOptions = {},
): Promise<PutManyResult> {
  return putEntries(tenant, memoryRef, drafts, options, 'put-many')
}

/** An idempotency key belongs to one operation: the same key may be used for a single put and for a batch. */
export async function putEntries(
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
  if (origin.kind === 'api') checkClientMemoryRef(memoryRef)
  const parsed = drafts.map((draft) => parseDraft(draft))
  const committed = await tenant.commit(
    { kind: 'memory.written', puts: parsed.map((draft) => toNewEntry(tenant.engine, memoryRef, draft, origin)) },
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

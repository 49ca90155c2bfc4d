import type { TenantStatus } from '../../core/access/tenant-status.ts'
import type { AdminRecord } from '../../core/admin.ts'
import { genesisHash } from '../../core/audit/audit.ts'
import type { AuditRow, Clock, EntryHead } from '../../core/commit/batch.ts'
import type { StoredOutcome } from '../../core/commit/idempotency.ts'
import type { Compaction, CompactionSource } from '../../core/compaction/compaction.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Fence } from '../../core/forget/fence.ts'
import type { Job } from '../../core/jobs/job.ts'
import type { Schedule } from '../../core/jobs/schedule.ts'
import type { Assertion, ClaimRecord } from '../../core/provenance/claim.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunEvent } from '../../core/run/run.ts'
import type { TileRoot } from '../../ports/log-store.ts'
import type { TenantSecrets } from '../../ports/storage.ts'
import type { StoredVector } from './vectors.ts'

export type StoredRun = { run: Run; readonly events: RunEvent[]; readonly calls: MemoryCall[] }

import type { ModelSpelling } from './people.ts'

export type StoredCompaction = { readonly compaction: Compaction; readonly sources: readonly CompactionSource[] }

/** Everything one tenant has, in plain arrays and maps: what the databases' tables mean. */
export type TenantState = {
  readonly secrets: TenantSecrets
  clock: Clock
  /** By memoryRef, in the order they were recorded. */
  readonly versions: Map<string, EntryVersion[]>
  /** By entry, the newest version. */
  readonly heads: Map<string, EntryHead>
  readonly audit: AuditRow[]
  readonly outcomes: Map<string, StoredOutcome>
  readonly jobs: Map<string, Job>
  readonly schedules: Map<string, Schedule>
  readonly records: Map<string, AdminRecord>
  readonly keyUses: Map<string, number>
  readonly runs: Map<string, StoredRun>
  readonly sourceEvents: Map<string, SourceEventRecord>
  /** By source event. */
  readonly erasedAt: Map<string, number>
  readonly claims: Map<string, ClaimRecord>
  assertions: Assertion[]
  readonly compactions: Map<string, StoredCompaction>
  /** By entry and version. */
  readonly vectors: Map<string, StoredVector>
  readonly vectorProgress: Map<string, number>
  /** By level and tile. */
  readonly logTiles: Map<string, TileRoot>
  /** By spelling. */
  readonly spellings: Map<string, ModelSpelling>
  fences: readonly (Fence & { readonly forgetId: string })[]
  status: TenantStatus
  readonly createdAt: number
  turn: number
}

export function newTenant(secrets: TenantSecrets, createdAt: number): TenantState {
  return {
    secrets,
    clock: { position: 0, lastHash: genesisHash, lastCreatedAt: 0, redactionVersion: 1, historyFrom: 0 },
    versions: new Map(),
    heads: new Map(),
    audit: [],
    outcomes: new Map(),
    jobs: new Map(),
    schedules: new Map(),
    records: new Map(),
    keyUses: new Map(),
    runs: new Map(),
    sourceEvents: new Map(),
    erasedAt: new Map(),
    claims: new Map(),
    assertions: [],
    compactions: new Map(),
    vectors: new Map(),
    vectorProgress: new Map(),
    logTiles: new Map(),
    spellings: new Map(),
    fences: [],
    status: 'active',
    createdAt,
    turn: 0,
  }
}

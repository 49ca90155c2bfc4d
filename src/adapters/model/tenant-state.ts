import { type AdminRecord, adminKeyOf } from '../../core/admin.ts'
import { genesisHash } from '../../core/audit/audit.ts'
import type { AuditRow, Clock, EntryHead, Sealed, SealedErasure } from '../../core/commit/batch.ts'
import { keyOf } from '../../core/commit/batch.ts'
import type { StoredOutcome } from '../../core/commit/idempotency.ts'
import type { Compaction, CompactionSource } from '../../core/compaction/compaction.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { assert } from '../../core/errors.ts'
import type { Fence } from '../../core/forget/fence.ts'
import type { Job } from '../../core/jobs/job.ts'
import type { Schedule } from '../../core/jobs/schedule.ts'
import { assertionsAfter } from '../../core/provenance/apply-claim.ts'
import type { Assertion, Claim } from '../../core/provenance/claim.ts'
import type { SourceEvent } from '../../core/provenance/source-event.ts'
import type { MemoryCall, Run, RunEvent } from '../../core/run/run.ts'
import type { TenantSecrets, TenantStatus } from '../../ports/storage.ts'
import { applyForgetting } from './forget.ts'
import { type StoredVector, vectorKey } from './vectors.ts'

export type StoredRun = { run: Run; readonly events: RunEvent[]; readonly calls: MemoryCall[] }

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
  readonly sourceEvents: Map<string, SourceEvent>
  readonly claims: Map<string, Claim>
  assertions: Assertion[]
  readonly compactions: Map<string, StoredCompaction>
  /** By entry and version. */
  readonly vectors: Map<string, StoredVector>
  readonly vectorProgress: Map<string, number>
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
    claims: new Map(),
    assertions: [],
    compactions: new Map(),
    vectors: new Map(),
    vectorProgress: new Map(),
    fences: [],
    status: 'active',
    createdAt,
    turn: 0,
  }
}

/** What the databases' unique index does: a claim has one live entry at most. */
export function checkOneWinner(tenant: TenantState, { versions, endings, erasures }: Sealed): void {
  const ended = new Set([...endings, ...erasures].map(({ entryId }) => entryId))
  const isLive = (row: EntryVersion) => row.endedPosition === null && row.classification?.claimId != null
  if (!versions.some(isLive)) return
  const before = [...tenant.versions.values()].flat().filter((row) => isLive(row) && !ended.has(row.entryId))
  const claimIds = [...before, ...versions.filter(isLive)].map((row) => row.classification?.claimId)
  assert(new Set(claimIds).size === claimIds.length, 'a claim has one winner')
}

/** Deletes a version with everything that hangs on it; what else is kept per version goes here too. */
function eraseVersion(tenant: TenantState, { memoryRef, entryId, version }: SealedErasure): void {
  tenant.vectors.delete(vectorKey({ entryId, version }))
  const rows = tenant.versions.get(memoryRef) ?? []
  const kept = rows.filter((row) => row.entryId !== entryId || row.version !== version)
  if (kept.length === 0) tenant.versions.delete(memoryRef)
  else tenant.versions.set(memoryRef, kept)
  const head = kept.filter((row) => row.entryId === entryId).sort((a, b) => b.version - a.version)[0]
  if (head) tenant.heads.set(keyOf(head), head)
  else tenant.heads.delete(keyOf({ memoryRef, entryId }))
}

export function apply(tenant: TenantState, sealed: Sealed, at: number): void {
  // First: what takes the place of something erased must find it free.
  for (const erasure of sealed.erasures) eraseVersion(tenant, erasure)
  for (const ending of sealed.endings) {
    const rows = tenant.versions.get(ending.memoryRef) ?? []
    const index = rows.findIndex((row) => row.entryId === ending.entryId && row.version === ending.version)
    const row = rows[index]
    if (row) rows[index] = { ...row, endedPosition: ending.endedPosition, endedReason: ending.endedReason }
    tenant.heads.set(keyOf(ending), ending)
  }
  for (const version of sealed.versions) {
    const rows = tenant.versions.get(version.memoryRef) ?? []
    rows.push(version)
    tenant.versions.set(version.memoryRef, rows)
    tenant.heads.set(keyOf(version), version)
  }
  for (const { oldTags: _old, ...rewritten } of sealed.rewrites) {
    const rows = tenant.versions.get(rewritten.memoryRef) ?? []
    const index = rows.findIndex((row) => row.entryId === rewritten.entryId && row.version === rewritten.version)
    rows[index] = rewritten
    tenant.vectors.delete(vectorKey(rewritten))
    for (const [space, position] of tenant.vectorProgress)
      tenant.vectorProgress.set(space, Math.min(position, rewritten.recordedPosition - 1))
    const head = tenant.heads.get(keyOf(rewritten))
    if (head?.version === rewritten.version) tenant.heads.set(keyOf(rewritten), rewritten)
  }
  for (const change of sealed.admin) {
    if (change.record) tenant.records.set(adminKeyOf(change), change.record)
    else tenant.records.delete(adminKeyOf(change))
  }
  for (const job of sealed.jobs) tenant.jobs.set(job.jobId, job)
  for (const { run, events, calls, rewritten, shortened } of sealed.runs) {
    const stored = tenant.runs.get(run.runId) ?? { run, events: [], calls: [] }
    stored.run = run
    stored.events.push(...events)
    for (const { sequence, payload } of rewritten) {
      const event = stored.events[sequence]
      if (event) stored.events[sequence] = { ...event, payload }
    }
    for (const { ordinal, ...call } of shortened) {
      const index = stored.calls.findIndex((recorded) => recorded.ordinal === ordinal)
      const recorded = stored.calls[index]
      if (recorded) stored.calls[index] = { ...recorded, ...call }
    }
    stored.calls.push(...calls)
    tenant.runs.set(run.runId, stored)
  }
  for (const runId of sealed.runsPruned) tenant.runs.delete(runId)
  for (const event of sealed.sourceEvents) tenant.sourceEvents.set(event.sourceEventId, event)
  for (const id of sealed.payloadsRedacted) {
    const event = tenant.sourceEvents.get(id)
    if (event) tenant.sourceEvents.set(id, { ...event, messages: null })
  }
  for (const rewrite of sealed.sourceRewrites) {
    const event = tenant.sourceEvents.get(rewrite.sourceEventId)
    const { salt, isHashPrivate, scope, evidence, metadata, messages } = rewrite
    const words = { salt, isHashPrivate, scope, evidence, metadata, messages }
    if (event && !event.isErased) tenant.sourceEvents.set(rewrite.sourceEventId, { ...event, ...words })
  }
  for (const step of sealed.claims) {
    const { claimId } = step.claim
    const before = tenant.assertions.filter((item) => item.claimId === claimId)
    const others = tenant.assertions.filter((item) => item.claimId !== claimId)
    // From what is stored, not from what was read: the words of what is behind a fence are not read.
    tenant.assertions = [...others, ...assertionsAfter(before, step)]
    if (step.isRemoved) tenant.claims.delete(claimId)
    else tenant.claims.set(claimId, step.claim)
  }
  for (const { compaction, sources } of sealed.compactions) {
    const known = tenant.compactions.get(compaction.compactionId)?.sources
    tenant.compactions.set(compaction.compactionId, { compaction, sources: known ?? sources })
  }
  tenant.audit.push(...sealed.auditBefore)
  if (sealed.audit) tenant.audit.push(sealed.audit)
  applyForgetting(tenant, sealed.forgetting, at)
  tenant.clock = sealed.clock
}

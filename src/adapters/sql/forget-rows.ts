import type { Fence, FenceKind } from '../../core/forget/fence.ts'
import type { FencedSource, FencedVersion } from '../../ports/forget-store.ts'

/** Rows of fences as both databases store them, and how they are read. */

export const fenceColumns = 'forget_id, kind, value, from_sequence, to_sequence, position'

export type FenceRow = {
  forget_id: string
  kind: string
  value: string
  from_sequence: number
  to_sequence: number
  position: number
}

export function toFence(row: FenceRow): Fence & { readonly forgetId: string } {
  return {
    forgetId: row.forget_id,
    kind: row.kind as FenceKind,
    value: row.value,
    fromSequence: row.from_sequence,
    toSequence: row.to_sequence,
    position: row.position,
  }
}

export type FencedSourceRow = {
  source_event_id: string
  service: string | null
  event_id: string | null
  job_id: string
  has_messages: number | boolean
}

export function toFencedSource(row: FencedSourceRow): FencedSource {
  return {
    sourceEventId: row.source_event_id,
    service: row.service,
    eventId: row.event_id,
    jobId: row.job_id,
    hasMessages: Boolean(row.has_messages),
  }
}

/** What SQLite calls true is 1. */
export type ScannedRow = {
  memory_ref: string
  entry_id: string
  version: number
  claim_id: string | null
  origin_event: string | null
  tags: number
  readers: string | null
  is_fenced: number | boolean
}

export function toFencedVersion(row: ScannedRow): FencedVersion {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    claimId: row.claim_id,
    sourceEventId: row.origin_event,
    tags: row.tags,
    readers: row.readers === null ? null : (JSON.parse(row.readers) as string[]),
  }
}

/** A text as it is inside of stored JSON, with its quotes. */
export const asJsonString = (text: string) => JSON.stringify(text)

export type NamedRunRow = { run_id: string; is_named: number | boolean }

export function toNamedRuns(rows: readonly NamedRunRow[], limit: number) {
  return {
    runIds: rows.filter((row) => Boolean(row.is_named)).map((row) => row.run_id),
    next: rows.length === limit ? (rows.at(-1)?.run_id ?? null) : null,
  }
}

/** In SQL: the version that a row was made from is no longer stored. */
export const hasNoVersion = (row: string, tenant: string) =>
  `not exists (
     select 1
       from entry_version made_of
      where made_of.tenant_id = ${tenant}
        and made_of.entry_id = ${row}.entry_id
        and made_of.version = ${row}.version)`

import { canonicalRecord, genesisHash } from '../audit/audit.ts'
import { auditFormatVersion } from '../audit/audit-notes.ts'
import { sha256 } from '../audit/digest.ts'
import { toInstant } from '../check.ts'
import { invariant } from '../invariant.ts'
import type { AuditRow, Batch } from './batch.ts'
import { type AnyPart, batchParts, type PartRows } from './parts/index.ts'

type RecordPlace = {
  readonly position: number
  readonly at: number
  readonly prev: string
  /** Whether it is the first record that the tenant itself makes. Imported positions may come before it. */
  readonly isFirst?: boolean
}

/**
 * The audit record of a batch: a body that is stored, and around it values that the row and the row before have anyway (instant,
 * position, previous hash, tenant). The hash is over the whole, in canonical JSON (RFC 8785).
 */
export function auditBatch(
  batch: Batch,
  rows: PartRows,
  { position, at, prev, isFirst = position === 1 }: RecordPlace,
  present: readonly AnyPart[] = batchParts,
): AuditRow {
  invariant(prev.length === genesisHash.length, 'an audit record links to the hash of the record before')
  invariant((position === 1) === (prev === genesisHash), 'only the record of position 1 has no record before')
  const body = bodyOf(batch, rows, { position, at, isFirst }, present)
  const hash = sha256(canonicalRecord({ position, at, body }, batch.tenantId, prev))
  return { position, at, body, hash, refs: refsOf(rows, present) }
}

/**
 * What a record says of a batch, without content: the stored rows can be derived from the bodies of all records, each by a digest.
 * The keys of every note are in alphabetical order, and those of the body are sorted here. So plain JSON is already
 * canonical, and costs a fraction of sorting everything; a test compares them.
 */
function bodyOf(
  batch: Batch,
  rows: PartRows,
  { position, at, isFirst }: Required<Omit<RecordPlace, 'prev'>>,
  present: readonly AnyPart[],
): string {
  const notes: Record<string, unknown> = { actor: batch.actor, kind: batch.kind, v: auditFormatVersion }
  if (batch.redactions.length > 0) notes.redactions = batch.redactions
  if (isFirst && batch.tenantCreatedAt !== undefined) notes.tenantCreatedAt = toInstant(batch.tenantCreatedAt)
  const context = { mac: batch.mac, position, at, redactionVersion: batch.redactionVersion }
  for (const part of present) Object.assign(notes, part.audit?.(rows, batch, context))
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(notes).sort()) sorted[name] = notes[name]
  return JSON.stringify(sorted)
}

/** The refs in the order in which the record first names them: of versions that were written, then ended, then rewritten. */
function refsOf(rows: PartRows, present: readonly AnyPart[]): string[] {
  const refs = new Set<string>()
  for (const part of present) for (const { memoryRef } of part.refs?.(rows) ?? []) refs.add(memoryRef)
  return [...refs]
}

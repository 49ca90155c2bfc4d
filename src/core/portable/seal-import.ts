import { canonicalRecord } from '../audit/audit.ts'
import { importedBody } from '../audit/audit-notes.ts'
import { sha256 } from '../audit/digest.ts'
import type { AuditRow, Batch, Clock } from '../commit/batch.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { type SealedClaim, sealAssertion } from '../provenance/seal-claim.ts'
import type { ImportedRows } from './imported-rows.ts'

/** The place of a batch in the audit chain: its position and instant, the previous hash, and the records of imported positions before it. */
export type NextPosition = {
  readonly position: number
  readonly at: number
  readonly prev: string
  readonly before: readonly AuditRow[]
}

/**
 * The position of a batch. An ordinary batch takes the next one. A batch that imports positions passes through all of them, and its own
 * record is at the last. Instants of a tenant never go back; an import into an empty tenant keeps the imported instants.
 */
export function nextPosition(batch: Batch, clock: Clock, now: number): NextPosition {
  const { imported } = batch
  const last = imported?.positions.at(-1)
  const start = Math.max(now, clock.lastCreatedAt)
  if (imported === undefined || last === undefined) {
    return { position: clock.position + 1, at: start, prev: clock.lastHash, before: [] }
  }
  const [first] = imported.positions
  const isInOrder = imported.positions.every(({ position }, index) => position === (first?.position ?? 0) + index)
  if (!isInOrder || clock.position !== imported.base + (first?.position ?? 0) - 1) {
    throw new ColophonError('import_interrupted', 'The tenant was written to while its positions were being imported.')
  }
  const atOf = (at: number, earlier: number) => (imported.base === 0 ? Math.max(at, earlier) : start)
  const before: AuditRow[] = []
  let prev = clock.lastHash
  let at = clock.lastCreatedAt
  for (const row of imported.positions.slice(0, -1)) {
    at = atOf(row.at, at)
    const position = imported.base + row.position
    const body = importedBody(batch.actor, row)
    const hash = sha256(canonicalRecord({ position, at, body }, batch.tenantId, prev))
    before.push({ position, at, body, hash, refs: [] })
    prev = hash
  }
  const position = imported.base + last.position
  invariant(
    position === clock.position + before.length + 1,
    'imported positions follow the position of the tenant without a gap',
  )
  return { position, at: atOf(last.at, at), prev, before }
}

/** Imported versions with their digest position: that of the importing batch, whose audit record has their digests. */
export function sealImportedVersions(imported: ImportedRows | undefined, position: number): EntryVersion[] {
  return (imported?.versions ?? []).map((version) => ({ ...version, digestPosition: position }))
}

/** Imported claims, with all assertions sealed. */
export function sealImportedClaims(imported: ImportedRows | undefined): SealedClaim[] {
  return (imported?.claims ?? []).map(({ claim, assertions }) => ({
    claim,
    assertions: assertions.map(sealAssertion),
    marked: [],
    after: assertions.map(sealAssertion),
    withdrawn: [],
    repriced: [],
    erased: [],
    restated: [],
    removed: [],
    detached: [],
    attached: [],
    isRemoved: false,
  }))
}

import { toInstant } from '../check.ts'
import type { AuditRow, Clock } from '../commit/batch.ts'
import type { AuditBody } from './audit-notes.ts'
import { sha256 } from './digest.ts'

/** The previous hash of the first record of a chain. */
export const genesisHash = '0'.repeat(64)

/** The canonical JSON that a row's hash is over. */
export function canonicalRecord(
  row: Pick<AuditRow, 'position' | 'at' | 'body'>,
  tenantId: string,
  prev: string,
): string {
  return `{"at":"${toInstant(row.at)}","body":${row.body},"position":${row.position},"prev":"${prev}","tenant":"${tenantId}","v":1}`
}

/** The changes of a record per memoryRef, with the refs in clear; empty when the refs were erased. */
export function refChangesOf(row: AuditRow): RefChange[] {
  if (row.refs === null) return []
  const { written = [], ended = [], rewritten = [] } = parseAuditBody(row)
  const byRef = new Map<string, { entryIds: Set<string>; reason?: string }>()
  for (const note of [...written, ...ended, ...rewritten]) {
    const change = byRef.get(note.ref) ?? { entryIds: new Set<string>() }
    change.entryIds.add(note.id)
    byRef.set(note.ref, 'reason' in note ? { ...change, reason: note.reason } : change)
  }
  const changes = [...byRef.values()].map(({ entryIds, ...change }, index) => ({
    memoryRef: row.refs?.[index] ?? '',
    entryIds: [...entryIds],
    ...change,
  }))
  // A forgotten ref is stored as an empty text, so that the others keep their index.
  return changes.filter(({ memoryRef }) => memoryRef !== '')
}

/** Which entries of one ref a position changed: identifiers only. */
export type RefChange = { readonly memoryRef: string; readonly entryIds: readonly string[]; readonly reason?: string }

/** The end of a chain at some moment. An operator who keeps it elsewhere can prove later that no record before it was changed. */
export type AuditHead = { readonly tenant: string; readonly position: number; readonly hash: string }

/**
 * What is wrong with a chain: a record is `missing`, a record was `edited`, the end is not where the clock says (`tail`), or the chain
 * does not contain the given audit head (`head`) or does not continue the given checkpoint (`checkpoint`).
 */
export type ChainProblem = 'missing' | 'edited' | 'tail' | 'head' | 'checkpoint'

/** The first wrong record of a chain. */
export type ChainFault = { readonly position: number; readonly problem: ChainProblem }

/** Verifies a chain record by record, and reports the first one that is wrong. */
export class ChainChecker {
  readonly tenantId: string
  #expected: number
  #prev: string
  #checked = 0

  constructor(tenantId: string, from: number, prev: string) {
    this.tenantId = tenantId
    this.#expected = from
    this.#prev = prev
  }

  get checked(): number {
    return this.#checked
  }

  get lastHash(): string {
    return this.#prev
  }

  check(row: AuditRow): ChainFault | null {
    const position = this.#expected
    if (row.position !== position) return { position, problem: 'missing' }
    // A change of this row, of the row before or of their order gives another hash.
    if (sha256(canonicalRecord(row, this.tenantId, this.#prev)) !== row.hash) return { position, problem: 'edited' }
    this.#prev = row.hash
    this.#expected += 1
    this.#checked += 1
    return null
  }
}

/** The body of an audit row. A damaged body is read as an empty one: `verify` reports the damage, other readers skip the row. */
export function parseAuditBody(row: AuditRow): AuditBody {
  try {
    return JSON.parse(row.body) as AuditBody
  } catch {
    return { kind: 'unknown', actor: 'unknown' }
  }
}

/** Compares the end of the chain with the tenant's clock. A chain whose last records were deleted is valid in itself. */
export function checkTail(clock: Clock, position: number, lastHash: string): ChainFault | null {
  return clock.position === position && clock.lastHash === lastHash
    ? null
    : { position: clock.position, problem: 'tail' }
}

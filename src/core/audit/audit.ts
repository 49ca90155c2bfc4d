import { toInstant } from '../check.ts'
import type { AuditRow, Clock } from '../commit/batch.ts'
import type { AuditBody } from './audit-notes.ts'
import { sha256 } from './digest.ts'

/** What a chain begins with; no record has this hash. */
export const genesisHash = '0'.repeat(64)

/** The canonical JSON that a row's hash is over. */
export function recordOf(row: Pick<AuditRow, 'position' | 'at' | 'body'>, tenantId: string, prev: string): string {
  return `{"at":"${toInstant(row.at)}","body":${row.body},"position":${row.position},"prev":"${prev}","tenant":"${tenantId}","v":1}`
}

/** What a record says about each ref, with the refs in clear; nothing when they were erased. */
export function changesOf(row: AuditRow): RefChange[] {
  if (row.refs === null) return []
  const { written = [], ended = [], rewritten = [] } = parseBody(row)
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
  // A ref that was forgotten left its place empty, so that the others keep theirs.
  return changes.filter(({ memoryRef }) => memoryRef !== '')
}

/** Which entries of one ref a position changed: identifiers only. */
export type RefChange = { readonly memoryRef: string; readonly entryIds: readonly string[]; readonly reason?: string }

/** The end of a chain at some moment: kept elsewhere, it proves later that nothing before it was changed. */
export type AuditHead = { readonly tenant: string; readonly position: number; readonly hash: string }

/** What is wrong with a chain: a record is not there, is another one, is behind the end, or a head does not fit. */
export type ChainProblem = 'missing' | 'edited' | 'tail' | 'head'

export type ChainFault = { readonly position: number; readonly problem: ChainProblem }

/** Follows a chain record by record and stops at the first one that does not fit. */
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
    // Whatever was changed, the row itself, the one before it or their order, this hash is another one.
    if (sha256(recordOf(row, this.tenantId, this.#prev)) !== row.hash) return { position, problem: 'edited' }
    this.#prev = row.hash
    this.#expected += 1
    this.#checked += 1
    return null
  }
}

/** Only of rows whose chain holds or whose damage does not matter: a broken body reads as an empty one. */
export function parseBody(row: AuditRow): AuditBody {
  try {
    return JSON.parse(row.body) as AuditBody
  } catch {
    return { kind: 'unknown', actor: 'unknown' }
  }
}

/** The end of the chain must be where the clock says: a cut-off tail leaves a chain that is sound in itself. */
export function checkTail(clock: Clock, position: number, lastHash: string): ChainFault | null {
  return clock.position === position && clock.lastHash === lastHash
    ? null
    : { position: clock.position, problem: 'tail' }
}

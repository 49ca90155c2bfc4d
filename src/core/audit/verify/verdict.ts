import type { AuditHead, ChainProblem } from '../audit.ts'

/**
 * What does not hold. Of the chain: see `ChainProblem`. Of what is stored: a row is `changed` when it is not as the audit recorded it,
 * `unrecorded` when no record explains it, `gone` when a record says that it is there and it is not.
 */
export type AuditProblem = ChainProblem | 'changed' | 'unrecorded' | 'gone'

export type AuditFault = {
  /** Of the record that says otherwise; 0 when there is none. */
  readonly position: number
  readonly problem: AuditProblem
  /** The kind of row, when it is no record of the chain: `version`, `tag`, `claim`, `key`, `run event` … */
  readonly what?: string
  readonly id?: string
  readonly version?: number
  /** The member of the row that differs, where that is known. */
  readonly member?: string
}

export type AuditVerdict = {
  readonly ok: boolean
  readonly from: number
  readonly to: number
  readonly checked: number
  /** The first anomaly. */
  readonly fault?: AuditFault
  /** Of the last record that holds: what the faulty one should have followed. */
  readonly lastHash?: string
  /** Only with `contents`. */
  readonly contents?: ContentsVerdict
}

/** What came of comparing everything that is stored with the audit. */
export type ContentsVerdict = {
  /** How many stored rows were compared. */
  readonly rows: number
  /** From this position on, records have a digest of every row. Rows that were last recorded before are compared by what was recorded then. */
  readonly coveredFrom: number
  /** The end of the chain that it was compared with: keep it elsewhere and hand it to `verify` later. */
  readonly head: AuditHead
  /** How many do not hold; `anomalies` has the first of them. */
  readonly found: number
  readonly anomalies: readonly AuditFault[]
}

import type { AuditHead, ChainProblem } from '../audit.ts'

/**
 * What `verify` found. In the chain: see `ChainProblem`. In the stored rows: a row is `changed` when it differs from its audit record,
 * `unrecorded` when no record explains it, and `gone` when a record names it and it is not stored.
 */
export type AuditProblem = ChainProblem | 'changed' | 'unrecorded' | 'gone'

/** One anomaly that `verify` found. */
export type AuditFault = {
  /** The position of the record that contradicts the row; 0 when there is none. */
  readonly position: number
  readonly problem: AuditProblem
  /** The kind of the stored row: `version`, `tag`, `claim`, `key`, `run event` …; absent for a record of the chain. */
  readonly what?: string
  readonly id?: string
  readonly version?: number
  /** The member of the row that differs, if known. */
  readonly member?: string
}

/** The result of `verify`. */
export type AuditVerdict = {
  readonly ok: boolean
  readonly from: number
  readonly to: number
  readonly checked: number
  /** The first anomaly. */
  readonly fault?: AuditFault
  /** The hash of the last valid record, which the faulty one should have followed. */
  readonly lastHash?: string
  /** Only with the option `contents`. */
  readonly contents?: ContentsVerdict
}

/** The result of comparing all stored rows with the audit. */
export type ContentsVerdict = {
  /** How many stored rows were compared. */
  readonly rows: number
  /** From this position on, records have a digest of every row. Rows that were last recorded before are compared by what their record has. */
  readonly coveredFrom: number
  /** The end of the chain that the rows were compared with. Keep it elsewhere and pass it to `verify` later. */
  readonly head: AuditHead
  /** The number of anomalies; `anomalies` has the first of them. */
  readonly found: number
  readonly anomalies: readonly AuditFault[]
}

import type { AuditFault } from '../../core/audit/verify/verdict.ts'
import { limits } from '../../core/limits.ts'

/** The anomalies of a verification: counted in full, and listed up to `verifyAnomaliesMax`. */
export class Findings {
  readonly anomalies: AuditFault[] = []
  found = 0
  /** The number of compared rows. */
  rows = 0

  add(anomaly: AuditFault): void {
    this.found += 1
    if (this.anomalies.length < limits.verifyAnomaliesMax) this.anomalies.push(anomaly)
  }

  /** Adds an anomaly if a row differs from its record (`member` names where), or has no record (`at` is undefined). */
  check(at: number | undefined, what: string, names: Pick<AuditFault, 'id' | 'version'>, member: string | null): void {
    if (at === undefined) this.add({ position: 0, problem: 'unrecorded', what, ...names })
    else if (member !== null)
      this.add({ position: at, problem: 'changed', what, ...names, ...(member === 'row' ? {} : { member }) })
  }

  /** Adds the anomaly of a row that is missing although a record says that it is stored. */
  addNotStored(at: number, what: string, names: Pick<AuditFault, 'id' | 'version'>): void {
    this.add({ position: at, problem: 'gone', what, ...names })
  }
}

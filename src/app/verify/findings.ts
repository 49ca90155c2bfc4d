import type { AuditFault } from '../../core/audit/verify/verdict.ts'
import { limits } from '../../core/limits.ts'

/** What was found, counted in full and kept up to a bound. */
export class Findings {
  readonly anomalies: AuditFault[] = []
  found = 0
  /** How many rows were compared. */
  rows = 0

  add(anomaly: AuditFault): void {
    this.found += 1
    if (this.anomalies.length < limits.verifyAnomaliesMax) this.anomalies.push(anomaly)
  }

  /** A row that differs from its record, or that no record explains. */
  check(at: number | undefined, what: string, names: Pick<AuditFault, 'id' | 'version'>, member: string | null): void {
    if (at === undefined) this.add({ position: 0, problem: 'unrecorded', what, ...names })
    else if (member !== null)
      this.add({ position: at, problem: 'changed', what, ...names, ...(member === 'row' ? {} : { member }) })
  }

  gone(at: number, what: string, names: Pick<AuditFault, 'id' | 'version'>): void {
    this.add({ position: at, problem: 'gone', what, ...names })
  }
}

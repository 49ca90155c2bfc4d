import type { Scanned } from '../core/redaction/deferring-scanner.ts'
import type { ScanRules } from '../core/redaction/tenant-scanners.ts'

/** `text` is scanned with everything, `name` without the operator's rules. */
export type ScanKind = 'text' | 'name'

/** Scans long texts beside the event loop. */
export type ScanThreads = {
  /**
   * The answers are in the order of the texts. Tenants take turns, and one tenant never holds every thread. The rules are
   * one object for as long as they are the same.
   */
  scan(tenantId: string, rules: ScanRules, kind: ScanKind, texts: readonly string[]): Promise<readonly Scanned[]>
  close(): Promise<void>
}

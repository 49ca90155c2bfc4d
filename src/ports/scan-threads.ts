import type { ScanResult } from '../core/redaction/deferring-scanner.ts'
import type { ScanRules } from '../core/redaction/tenant-scanners.ts'

/** `text` is scanned with everything, `name` without the operator's rules. */
export type ScanKind = 'text' | 'name'

/** Scans long texts in worker threads, so that the event loop stays free. */
export type ScanThreads = {
  /**
   * The results are in the order of the texts. Tenants are served by a fair queue, and one tenant never uses every thread. The
   * caller passes the same `rules` object for as long as the rules are the same.
   */
  scan(tenantId: string, rules: ScanRules, kind: ScanKind, texts: readonly string[]): Promise<readonly ScanResult[]>
  close(): Promise<void>
}

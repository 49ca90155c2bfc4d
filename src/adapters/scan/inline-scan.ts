import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { limits } from '../../core/limits.ts'
import type { ScanResult } from '../../core/redaction/deferring-scanner.ts'
import { ruleBudgetExceeded } from '../../core/redaction/operator-rules.ts'
import type { ScanRules } from '../../core/redaction/tenant-scanners.ts'
import { createTenantScanners } from '../../core/redaction/tenant-scanners.ts'
import type { ScanKind } from '../../ports/scan-threads.ts'

/** A scan with a time limit per text for the operator rules (`ruleScanMsMax`). */
export function createTimedScan(rules: ScanRules): (kind: ScanKind, text: string) => ScanResult {
  let deadline = 0
  const { scan, scanNames } = createTenantScanners(rules, () => {
    if (performance.now() > deadline) throw ruleBudgetExceeded()
  })
  return (kind, text) => {
    deadline = performance.now() + limits.ruleScanMsMax
    const hits: string[] = []
    const clean = (kind === 'text' ? scan : scanNames)(text, (rule) => hits.push(rule))
    return { clean, hits }
  }
}

/** Scans on the event loop, for processes that cannot start threads. Yields to the event loop after each text. */
export async function scanInline(
  rules: ScanRules,
  kind: ScanKind,
  texts: readonly string[],
): Promise<readonly ScanResult[]> {
  const scan = createTimedScan(rules)
  const scanned: ScanResult[] = []
  for (const text of texts) {
    scanned.push(scan(kind, text))
    await yieldToEventLoop()
  }
  return scanned
}

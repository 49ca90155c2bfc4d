import { combineScanners } from './combine-scanners.ts'
import { createKnownValueScanner, type KnownValue } from './known-values.ts'
import { createOperatorScanner, type OperatorRule } from './operator-rules.ts'
import { explainsWith } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'
import { createPatternScanner } from './secret-patterns.ts'

export type TenantScanners = {
  readonly scan: Scanner
  /** Secrets and built-in patterns only: a broad rule of the operator must not refuse the names of administration. */
  readonly scanNames: Scanner
}

/** What a tenant's texts are scanned with, beside the built-in rules. */
export type ScanRules = {
  readonly secrets: readonly KnownValue[]
  readonly rules: readonly OperatorRule[]
  /** Further ids that may stand in a marker. */
  readonly markerIds?: readonly string[]
}

/** The scanners of one tenant: its secrets, the built-in patterns, its operator's rules. `mayGoOn` is of the last. */
export function createTenantScanners(
  { secrets, rules, markerIds = [] }: ScanRules,
  mayGoOn?: () => void,
): TenantScanners {
  const explains = explainsWith([...idsOf({ secrets, rules }), ...markerIds])
  const known = secrets.length > 0 ? [createKnownValueScanner(secrets, explains)] : []
  const scanNames = combineScanners(...known, createPatternScanner(explains))
  const scan =
    rules.length > 0 ? combineScanners(scanNames, createOperatorScanner(rules, explains, mayGoOn)) : scanNames
  return { scan, scanNames }
}

/** Names that a marker of the tenant may hold. */
export function idsOf({ secrets, rules }: ScanRules): string[] {
  return [...secrets, ...rules].map(({ id }) => id)
}

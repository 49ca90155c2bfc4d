import { createKnownValueScanner, type KnownValue } from './known-values.ts'
import { createOperatorScanner, type OperatorRule } from './operator-rules.ts'
import { knownMarkerIds } from './rules/marker-ids.ts'
import type { Scanner } from './scanner.ts'
import { combineScanners } from './scanner.ts'
import { createPatternScanner } from './secret-patterns.ts'

/** The scanners of one tenant: `scan` for texts, `scanNames` for names and identifiers. */
export type TenantScanners = {
  readonly scan: Scanner
  /** Vault secrets and built-in rules only: a broad operator rule must not refuse the names of keys, workflows or jobs. */
  readonly scanNames: Scanner
}

/** What a tenant's texts are scanned with in addition to the built-in rules. */
export type ScanRules = {
  readonly secrets: readonly KnownValue[]
  readonly rules: readonly OperatorRule[]
  /** Further ids that a marker may contain, such as those of deleted secrets. */
  readonly markerIds?: readonly string[]
}

/**
 * Builds the scanners of one tenant: vault secrets, built-in rules, operator rules. `checkTime` is called by the operator
 * rules.
 */
export function createTenantScanners(
  { secrets, rules, markerIds = [] }: ScanRules,
  checkTime?: () => void,
): TenantScanners {
  const isKnownId = knownMarkerIds([...markerIdsOf({ secrets, rules }), ...markerIds])
  const known = secrets.length > 0 ? [createKnownValueScanner(secrets, isKnownId)] : []
  const scanNames = combineScanners(...known, createPatternScanner(isKnownId))
  const scan =
    rules.length > 0 ? combineScanners(scanNames, createOperatorScanner(rules, isKnownId, checkTime)) : scanNames
  return { scan, scanNames }
}

/** The ids that a marker of the tenant may contain. */
export function markerIdsOf({ secrets, rules }: ScanRules): string[] {
  return [...secrets, ...rules].map(({ id }) => id)
}

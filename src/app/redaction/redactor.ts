import { utf8Bytes } from '../../core/check.ts'
import { limits } from '../../core/limits.ts'
import { createDeferringScanner, InlineScanTimeout, type ScanResult } from '../../core/redaction/deferring-scanner.ts'
import { checkRuleSteps, countRuleInstructions } from '../../core/redaction/operator-rules.ts'
import type { ScanRules } from '../../core/redaction/tenant-scanners.ts'
import { createTenantScanners, markerIdsOf, type TenantScanners } from '../../core/redaction/tenant-scanners.ts'
import type { ScanKind, ScanThreads } from '../../ports/scan-threads.ts'
import type { RedactionState } from './redaction-state.ts'

/** Texts of one scanner kind: those that threads have scanned, and those that are deferred to threads. */
type Pending = { readonly known: Map<string, ScanResult>; readonly deferred: Set<string> }

/**
 * The scanners of a tenant for texts of any length. Short texts, nearly all, are scanned inline. A long text, and what is left of a
 * batch after `scanInlineMs`, is deferred to worker threads.
 */
export function createRedactor(
  threads: ScanThreads,
  tenantId: string,
  rules: ScanRules,
  clock: () => number = () => performance.now(),
): Pick<RedactionState, 'vaultBytes' | 'bytesOf' | 'markerIds' | 'redact'> {
  const vaultBytes = rules.secrets.reduce((sum, { value }) => sum + utf8Bytes(value), 0)
  const instructions = countRuleInstructions(rules.rules)
  const isInline = vaultBytes <= limits.scanInlineVaultBytesMax
  const inlineMax = isInline
    ? Math.min(limits.scanInlineCharactersMax, limits.scanInlineStepsMax / Math.max(instructions, 1))
    : -1
  /** When the current call must stop scanning inline. Calls are synchronous and never overlap, so one instant is enough. */
  let until = Number.POSITIVE_INFINITY
  /** Characters that the current call has scanned inline. */
  let scanned = 0
  // Not by the clock alone: on a busy machine a short call would go to the threads, and a later call would overtake it.
  const isOver = () => scanned > inlineMax && clock() > until
  let made: TenantScanners | undefined
  /** Created when a text is first scanned inline. With a large vault that is never. */
  const scanners = () => {
    made ??= createTenantScanners(rules, () => {
      if (isOver()) throw new InlineScanTimeout()
    })
    return made
  }
  const scan: TenantScanners['scan'] = (text, onHit) => scanners().scan(text, onHit)
  const scanNames: TenantScanners['scanNames'] = (text, onHit) => scanners().scanNames(text, onHit)
  const takesLong = (text: string) => {
    if (text.length > inlineMax) return true
    scanned += text.length
    return isOver()
  }
  const takesLongByRules = (text: string) => {
    checkRuleSteps(text, instructions)
    return takesLong(text)
  }

  function attempt<T>(work: (scanners: TenantScanners) => T, texts: Pending, names: Pending): T {
    if (isInline) scanners()
    until = clock() + limits.scanInlineMs
    scanned = 0
    try {
      return work({
        scan: createDeferringScanner(scan, texts.known, texts.deferred, takesLongByRules),
        scanNames: createDeferringScanner(scanNames, names.known, names.deferred, takesLong),
      })
    } finally {
      until = Number.POSITIVE_INFINITY
    }
  }

  async function scanDeferred(kind: ScanKind, { known, deferred }: Pending): Promise<void> {
    if (deferred.size === 0) return
    const texts = [...deferred]
    const scanned = await threads.scan(tenantId, rules, kind, texts)
    for (const [at, text] of texts.entries()) {
      const one = scanned[at]
      if (one !== undefined) known.set(text, one)
    }
    deferred.clear()
  }

  async function finish<T>(work: (scanners: TenantScanners) => T, texts: Pending, names: Pending): Promise<T> {
    for (;;) {
      await Promise.all([scanDeferred('text', texts), scanDeferred('name', names)])
      const result = completeResult(() => attempt(work, texts, names), texts, names)
      if (result !== undefined) return result.value
    }
  }

  return {
    vaultBytes,
    markerIds: markerIdsOf(rules),
    bytesOf(secretId) {
      const secret = rules.secrets.find(({ id }) => id === secretId)
      return secret && utf8Bytes(secret.value)
    },
    redact(work) {
      const texts: Pending = { known: new Map(), deferred: new Set() }
      const names: Pending = { known: new Map(), deferred: new Set() }
      const result = completeResult(() => attempt(work, texts, names), texts, names)
      return result === undefined ? finish(work, texts, names) : result.value
    },
  }
}

/** The result of a call; undefined if a text was deferred. Then both its result and its error are discarded. */
function completeResult<T>(work: () => T, texts: Pending, names: Pending): { readonly value: T } | undefined {
  const isComplete = () => texts.deferred.size === 0 && names.deferred.size === 0
  try {
    const value = work()
    return isComplete() ? { value } : undefined
  } catch (error) {
    if (isComplete()) throw error
    return undefined
  }
}

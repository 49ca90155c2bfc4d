import { parentPort } from 'node:worker_threads'
import { isColophonError } from '../../core/errors.ts'
import type { ScanResult } from '../../core/redaction/deferring-scanner.ts'
import type { ScanRules } from '../../core/redaction/tenant-scanners.ts'
import type { ScanKind } from '../../ports/scan-threads.ts'
import { createTimedScan } from './inline-scan.ts'

/** A message to a thread. `rules` is sent once per `rulesId`; `drop` is the id of rules that the thread can forget. */
export type ScanRequest = {
  readonly rulesId: number
  readonly rules?: ScanRules
  readonly drop?: number
  readonly kind: ScanKind
  readonly texts: readonly string[]
}

/** The reply of a thread. After a failure it has only an error code: an error message may quote the text. */
export type ScanResponse = { readonly scanned?: readonly ScanResult[]; readonly code?: string }

const scans = new Map<number, ReturnType<typeof createTimedScan>>()

function handle({ rulesId, rules, drop, kind, texts }: ScanRequest): ScanResponse {
  try {
    if (drop !== undefined) scans.delete(drop)
    const scan = scans.get(rulesId) ?? (rules && createTimedScan(rules))
    if (scan === undefined) return {}
    scans.set(rulesId, scan)
    return { scanned: texts.map((text) => scan(kind, text)) }
  } catch (error) {
    return isColophonError(error) ? { code: error.code } : {}
  }
}

parentPort?.on('message', (request: ScanRequest) => parentPort?.postMessage(handle(request)))
parentPort?.postMessage('ready')

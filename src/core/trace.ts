import { limits } from './limits.ts'
import type { Scanner } from './redaction/scanner.ts'

/** The parent of a span: the two headers of W3C Trace Context, `traceparent` and `tracestate`. */
export type TraceLink = { readonly parent: string; readonly state: string | null }

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** The flags that the recommendation defines: sampled and random. Others must not be passed on. */
const knownFlags = 0b11

/** The fields of a `traceparent` header. */
export type TraceParent = { readonly traceId: string; readonly spanId: string; readonly flags: number }

/** Null for a header that the recommendation calls invalid: then a new trace begins, without an error. */
export function parseTraceParent(header: unknown): TraceParent | null {
  if (typeof header !== 'string' || header.length > limits.traceParentCharactersMax) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = parentPattern.exec(header) ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  // Later versions may have more than the four fields; version 00 has not.
  if (version === '00' && rest !== undefined) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & knownFlags }
}

/** A `traceparent` header of version 00. */
export function formatTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${(flags & knownFlags).toString(16).padStart(2, '0')}`
}

/** The part of a trace link that may be stored. It comes from a caller, so a header that contains a secret is dropped. */
export function redactTrace(link: TraceLink | null, scan: Scanner): TraceLink | null {
  if (link === null || containsSecret(link.parent, scan)) return null
  return link.state === null || containsSecret(link.state, scan) ? { parent: link.parent, state: null } : link
}

function containsSecret(text: string, scan: Scanner): boolean {
  let found = false
  scan(text, () => {
    found = true
  })
  return found
}

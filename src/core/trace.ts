import { limits } from './limits.ts'
import type { Scanner } from './redaction/scanner.ts'

/** Where a piece of work hangs in a trace: the two headers of W3C Trace Context. */
export type TraceLink = { readonly parent: string; readonly state: string | null }

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** Sampled, and random: the flags that have a meaning. Others may not be passed on. */
const knownFlags = 0b11

export type ParentParts = { readonly traceId: string; readonly spanId: string; readonly flags: number }

/** Null for whatever the recommendation calls invalid: then a new trace begins, and nobody is told. */
export function parseTraceParent(header: unknown): ParentParts | null {
  if (typeof header !== 'string' || header.length > limits.traceParentCharactersMax) return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = parentPattern.exec(header) ?? []
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  // Later versions may say more behind the four fields; this one ends there.
  if (version === '00' && rest !== undefined) return null
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & knownFlags }
}

export function formatTraceParent({ traceId, spanId, flags }: ParentParts): string {
  return `00-${traceId}-${spanId}-${(flags & knownFlags).toString(16).padStart(2, '0')}`
}

/** What may be stored of a link: a caller wrote it, so it may hold anything. A part with a secret in it is left out. */
export function cleanTrace(link: TraceLink | null, scan: Scanner): TraceLink | null {
  if (link === null || holdsSecret(link.parent, scan)) return null
  return link.state === null || holdsSecret(link.state, scan) ? { parent: link.parent, state: null } : link
}

function holdsSecret(text: string, scan: Scanner): boolean {
  let found = false
  scan(text, () => {
    found = true
  })
  return found
}

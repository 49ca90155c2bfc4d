/**
 * Which conversation a message belongs to: the one its source names, else its source event. Within a conversation messages stand in
 * the order of when they were observed, then of when they were stored, then of their place in the event.
 */
export function sessionOf(source: {
  readonly scope: Readonly<Record<string, unknown>> | null
  readonly sourceEventId: string | null
}): string | null {
  const named = source.scope?.session_id
  if (typeof named === 'string' && named.trim() !== '') return `session:${named}`
  return source.sourceEventId === null ? null : `event:${source.sourceEventId}`
}

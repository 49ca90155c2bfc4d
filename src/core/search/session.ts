/**
 * The conversation that a message belongs to: the session that its source names, else its source event; null without either.
 * Messages of a conversation are ordered by when they were observed, then by when they were stored, then by their index in the
 * event.
 */
export function sessionOf(source: {
  readonly scope: Readonly<Record<string, unknown>> | null
  readonly sourceEventId: string | null
}): string | null {
  const named = source.scope?.session_id
  if (typeof named === 'string' && named.trim() !== '') return `session:${named}`
  return source.sourceEventId === null ? null : `event:${source.sourceEventId}`
}

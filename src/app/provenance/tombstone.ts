/**
 * What stands in place of an event id that was forgotten. Keyed, so that nobody can find the id by trying; a retry of the
 * same event is known by it.
 */
export function tombstoneOf(digest: (text: string) => string, service: string, eventId: string): string {
  return `erased:${digest(`event.${service}\u0000${eventId}`)}`
}

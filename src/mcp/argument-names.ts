/** The names of one tool's arguments, by the field of the API that an error can name. */
export type ArgumentNames = Readonly<Record<string, string>>

/** The same for every tool. */
const commonNames: ArgumentNames = {
  memoryRef: 'ref',
  external_user_id: 'subject',
  expiresAt: 'expires_at',
  asOf: 'as_of',
  trustMin: 'trust_min',
  'source.service': 'service',
  'source.eventId': '_meta["colophon/event"]',
  'source.event_id': '_meta["colophon/event"]',
}

/**
 * A sentence of the API about a field, with the argument that the model gave instead. Only the field at its beginning is
 * replaced: the rest may quote anything.
 */
export function inArgumentNames(sentence: string, own: ArgumentNames = {}): string {
  const plain = sentence.replace(/^entries\[\d+\]\./, '')
  const names = { ...commonNames, ...own }
  const field = /^[\w.[\]]+/.exec(plain)?.[0] ?? ''
  const name = Object.hasOwn(names, field) ? names[field] : undefined
  return name === undefined ? plain : name + plain.slice(field.length)
}

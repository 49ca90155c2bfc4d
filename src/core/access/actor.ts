/** The actor of what an API key does. */
export function actorOfKey(keyId: string): string {
  return `key:${keyId}`
}

/** The `keyId` member of an origin, when the actor is an API key (`key:<id>`); empty for a process or a run. */
export function keyOfActor(actor: string): { readonly keyId?: string } {
  return actor.startsWith('key:') ? { keyId: actor.slice('key:'.length) } : {}
}

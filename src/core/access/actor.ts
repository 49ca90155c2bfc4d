/** The key that an actor is, as a member of an origin; nothing for a process or a run. */
export function keyIn(actor: string): { readonly keyId?: string } {
  return actor.startsWith('key:') ? { keyId: actor.slice('key:'.length) } : {}
}

/** The issuer of this host's API keys. */
export const keyIssuer = 'urn:colophon:api-key'

/** Who did something: the key of a tenant. `kind` and `lane` are fixed, because API keys are the only credentials of this host. */
export type Subject = {
  readonly issuer: string
  readonly subjectId: string
  readonly tenant: string
  readonly lane: 'api-key'
  readonly kind: 'user' | 'agent' | 'workload'
}

/** Who a run or another thing belongs to. */
export type Owner = { readonly tenant: string; readonly subject: Subject }

/**
 * The subject of an actor. An actor is `key:<id>` for an API key; everything else is this host itself, such as a schedule, or the token of
 * an interrupt.
 */
export function subjectOf(tenant: string, actor: string): Subject {
  const keyId = /^key:(.+)$/.exec(actor)?.[1]
  const subjectId = toSubjectId(keyId ?? actor)
  const kind = keyId === undefined ? 'workload' : 'user'
  return { issuer: keyIssuer, subjectId, tenant, lane: 'api-key', kind }
}

export function ownerOf(tenant: string, actor: string): Owner {
  return { tenant, subject: subjectOf(tenant, actor) }
}

/** Subject ids have no spaces and no slashes, and 1 to 256 characters. */
function toSubjectId(name: string): string {
  return name.replaceAll(/[\s/]/g, '_').slice(0, 256) || 'unknown'
}

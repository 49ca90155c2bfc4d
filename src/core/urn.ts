/** A name as a part of a URN or of a qualified name. Names of callers can have any character, so all but a few are percent-encoded. */
export function escapeUrnPart(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The URN of a tenant: the source of its events, and the namespace of the ids in its provenance. */
export function tenantUrn(tenantId: string): string {
  return `urn:colophon:tenant:${escapeUrnPart(tenantId)}`
}

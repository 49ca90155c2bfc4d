import { invalidField, v2Error } from './errors.ts'

/**
 * Ids of runs, interrupts, webhooks, deliveries and effects are bound to their tenant: `acme/run_019a…`. The engine and version 1 have the
 * part after the slash. In a path a bound id is one segment: every byte that is not a letter, a digit, dot, dash or underscore becomes `~HH`.
 */

const boundId = /^((?:anon:)?[A-Za-z0-9._~-]{1,128})\/([A-Za-z0-9._~-]{16,128})$/
const opaqueId = /^[A-Za-z0-9._~-]{16,128}$/
const authoredId = /^[A-Za-z0-9._~:-]{1,128}$/

/** The id that a body of version 2 has. */
export function bindId(tenantId: string, opaque: string): string {
  return `${tenantId}/${opaque}`
}

const kept = /^[A-Za-z0-9._-]$/

/** An id as one segment of a path: `acme~2Frun_019a…`. Links in bodies have it in this form. */
export function toSegment(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => {
    const character = String.fromCharCode(byte)
    return kept.test(character) ? character : `~${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')
}

/** The segment of a run or another thing of this tenant, for a link. */
export function pathSegment(tenantId: string, opaque: string): string {
  return toSegment(bindId(tenantId, opaque))
}

/** Reads a segment, once. A segment with a slash was sent as `%2F`, which the server has decoded already. */
export function fromSegment(field: string, segment: string): string {
  if (segment.includes('/') || !segment.includes('~')) return segment
  if (/~(?![0-9A-Fa-f]{2})/.test(segment)) throw invalidField(field, 'must have two hexadecimal digits after each ~')
  try {
    return decodeURIComponent(segment.replaceAll('%', '%25').replaceAll('~', '%'))
  } catch {
    throw invalidField(field, 'must be UTF-8')
  }
}

/**
 * The engine's id of a bound id in a body. Another tenant is refused before anything is looked up. While version 1 is served, an id without
 * a tenant is one of the caller's tenant.
 */
export function openId(field: string, tenantId: string, id: string): string {
  const bound = boundId.exec(id)
  if (bound === null) {
    if (opaqueId.test(id)) return id
    throw invalidField(field, 'must be TENANT/ID, as in the response that created it')
  }
  const [, tenant, opaque = ''] = bound
  if (tenant === tenantId) return opaque
  throw v2Error('id_tenant_mismatch', 'The id belongs to another tenant than the key.', {
    field,
    hint: 'Use a key of the tenant that the id names.',
  })
}

/** The engine's id of a bound id in a path. */
export function openPathId(field: string, tenantId: string, segment: string): string {
  return openId(field, tenantId, fromSegment(field, segment))
}

/** The id of a node, a workflow or an agent in a path. */
export function openAuthoredId(field: string, segment: string): string {
  return checkAuthoredId(field, fromSegment(field, segment))
}

/** The same id in a body, where nothing is encoded. Version 1 accepts more of them than version 2. */
export function checkAuthoredId(field: string, id: string): string {
  if (authoredId.test(id)) return id
  throw invalidField(field, 'must be 1 to 128 letters, digits and . _ ~ : - in version 2', {
    hint: 'Read it with version 1, or register it under another id.',
  })
}

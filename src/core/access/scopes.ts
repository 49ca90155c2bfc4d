import { invalid } from '../errors.ts'

/** What a key may do. None implies another. The first group is OpenWOP's vocabulary, the second is this host's own. */
export const scopes = [
  'manifest:read',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'artifacts:read',
  'webhooks:manage',
  'approvals:respond',
  'audit:read',
  'memory:read',
  'memory:write',
  'memory:delete',
  'memory:admin',
  'keys:manage',
] as const

export type Scope = (typeof scopes)[number]

/** Grows when a scope is split off another; a stored key says by which one its scopes were written. */
export const scopeVocabulary = 2

/**
 * What the scopes of a stored key mean today. Before `keys:manage` there was `memory:admin` alone, which managed keys too: such a
 * key goes on managing them, within its own scopes and lifetime. Otherwise an upgrade could leave a tenant without a key that can.
 */
export function scopesOf(stored: readonly Scope[], vocabulary: number): readonly Scope[] {
  return vocabulary === 1 && stored.includes('memory:admin') ? [...stored, 'keys:manage'] : stored
}

export function parseScopes(value: unknown): Scope[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('scopes', 'must be a list with at least one scope')
  const known = value.filter((scope): scope is Scope => (scopes as readonly unknown[]).includes(scope))
  if (known.length < value.length) throw invalid('scopes', `must be among ${scopes.join(', ')}`)
  return [...new Set(known)]
}

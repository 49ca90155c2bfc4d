import { invalid } from '../errors.ts'

/** The scopes of API keys. None implies another. The first eight are OpenWOP's, the others are this host's own. */
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
  'workspace:read',
  'workspace:write',
] as const

/** One permission of an API key, such as `memory:write`. */
export type Scope = (typeof scopes)[number]

/** The version of the list of scopes. It grows when a scope is split; a stored key has the version its scopes were written with. */
export const scopeVocabulary = 2

/**
 * The scopes of a stored key in the current version of the list. In version 1, `memory:admin` included what is now `keys:manage`, so
 * such a key still manages keys, within its own scopes and lifetime. Otherwise an upgrade could leave a tenant without a key that can.
 */
export function currentScopes(stored: readonly Scope[], vocabulary: number): readonly Scope[] {
  return vocabulary === 1 && stored.includes('memory:admin') ? [...stored, 'keys:manage'] : stored
}

/** The scopes in a request: known ones, at least one, without repetitions. */
export function parseScopes(value: unknown): Scope[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('scopes', 'must be a list with at least one scope')
  const known = value.filter((scope): scope is Scope => (scopes as readonly unknown[]).includes(scope))
  if (known.length < value.length) throw invalid('scopes', `must be among ${scopes.join(', ')}`)
  return [...new Set(known)]
}

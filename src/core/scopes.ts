import { invalid } from './errors.ts'

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
] as const

export type Scope = (typeof scopes)[number]

export function parseScopes(value: unknown): Scope[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('scopes', 'must be a list with at least one scope')
  const known = value.filter((scope): scope is Scope => (scopes as readonly unknown[]).includes(scope))
  if (known.length < value.length) throw invalid('scopes', `must be among ${scopes.join(', ')}`)
  return [...new Set(known)]
}

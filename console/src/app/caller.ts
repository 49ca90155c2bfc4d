import { useQuery } from '@tanstack/react-query'
import type { Scope } from '../../../src/core/access/scopes.ts'
import { api } from './api.ts'

/** The caller: its tenant, the name of its key and its scopes. */
export function useCaller() {
  return useQuery({ queryKey: ['caller'], queryFn: ({ signal }) => api.session({ signal }), staleTime: 60_000 })
}

/** Whether this is the key that opened the session. */
export function useIsOwnKey(): (keyId: string) => boolean {
  const { data } = useCaller()
  return (keyId) => data?.keyId === keyId
}

/** What a button needs that does something with this scope: disabled, with the name of the scope, when the key lacks it. */
export function useScope(scope: Scope): { readonly disabled?: true; readonly title?: string } {
  const { data } = useCaller()
  if (data === undefined || data.scopes.includes(scope)) return {}
  return { disabled: true, title: `Your key lacks the scope ${scope}.` }
}

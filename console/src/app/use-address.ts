import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Search = Readonly<Record<string, string | undefined>>

/** The query of the URL, and a function that changes a part of it. `undefined` removes a name. */
export function useAddress(): readonly [Search, (change: Search, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const change = useCallback(
    (part: Search, replace = false) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...part }), replace } as never),
    [navigate],
  )
  return [search, change]
}

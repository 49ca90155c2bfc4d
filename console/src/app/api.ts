import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createClient, isClientError } from '../../../src/client/index.ts'
import { currentKey, logOut } from './session.ts'

/** Everything the console knows comes through the public client, with the key of this tab. */
export const api = createClient({ url: '', key: () => currentKey() ?? '', retry: { retries: 2 } })

/** A key that the server no longer takes ends the session, whichever call found out. */
export function noticeRefusal(error: unknown): void {
  if (isClientError(error) && error.status === 401 && currentKey() !== null) {
    logOut('Your key is no longer accepted: it was revoked, or it has expired.')
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  defaultOptions: {
    queries: {
      // The client repeats by itself what may be repeated.
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
    },
    mutations: { onError: noticeRefusal },
  },
})

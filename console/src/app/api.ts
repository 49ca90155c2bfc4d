import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createClient, isClientError } from '../../../src/client/index.ts'
import { recordCalls, recordingFetch } from './recorded-calls.ts'
import { sessionRefused } from './session.ts'

/** The client of the console, with the session of this browser. All data comes through the public API. */
export const api = recordCalls(createClient({ url: '', retry: { retries: 2 }, fetch: recordingFetch }))

/** Logs out when a request gets 401 because the session has ended. */
export function noticeRefusal(error: unknown): void {
  if (isClientError(error) && error.status === 401) sessionRefused()
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  defaultOptions: {
    queries: {
      // The client retries by itself.
      retry: false,
      staleTime: 2_000,
      refetchOnWindowFocus: true,
    },
    mutations: { onError: noticeRefusal },
  },
})

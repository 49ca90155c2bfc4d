import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { isClientError, type MemoryChange } from '../../../src/client/index.ts'
import { api, noticeRefusal } from './api.ts'
import { concerns } from './live-rules.ts'
import { patchFeed } from './patch-feed.ts'

export type Connection = 'connecting' | 'open' | 'lost' | 'refused'

const keptChanges = 200
/** What shows a changed row is fetched after this. A burst of writes is one request. */
const nowMs = 400
/** What sums up the tenant is fetched after a pause of the writers, and at the latest after the second. */
const soonMs = 1_000
const latestMs = 5_000

let connection: Connection = 'connecting'
let recent: readonly MemoryChange[] = []
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setConnection(next: Connection): void {
  connection = next
  notify()
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)
export const useRecentChanges = (): readonly MemoryChange[] => useSyncExternalStore(subscribe, () => recent)

/** Follows the tenant's changes while a key is logged in. After a change, the queries of the shown screen that it concerns are fetched again. */
export function useLiveChanges(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    const refresher = createRefresher(queries)
    const follow = async () => {
      try {
        const onConnection = (state: 'open' | 'lost') => {
          setConnection(state)
          if (state === 'open') refresher.everything()
        }
        for await (const event of api.changes({ signal: leaving.signal, onConnection })) {
          if (event.event === 'gap') refresher.everything()
          else {
            recent = [event, ...recent].slice(0, keptChanges)
            notify()
            refresher.after(event)
          }
        }
      } catch (error) {
        if (leaving.signal.aborted) return
        noticeRefusal(error)
        setConnection(isClientError(error) ? 'refused' : 'lost')
      }
    }
    void follow()
    return () => {
      leaving.abort()
      refresher.stop()
      recent = []
      connection = 'connecting'
    }
  }, [queries])
}

/** Collects changes and fetches what they concern. */
function createRefresher(queries: QueryClient) {
  const now = createPile(nowMs, nowMs, (changes) => refresh(queries, changes, 'now'))
  const soon = createPile(soonMs, latestMs, (changes) => refresh(queries, changes, 'soon'))
  return {
    after(change: MemoryChange) {
      now.add(change)
      soon.add(change)
    },
    everything: () => void queries.invalidateQueries({ queryKey: ['live'] }),
    stop() {
      now.stop()
      soon.stop()
    },
  }
}

/** Changes that wait for a pause of `quietMs`, at most `latestMs` after the first. */
function createPile(quietMs: number, latestMs: number, handle: (changes: readonly MemoryChange[]) => void) {
  let changes: MemoryChange[] = []
  let quiet: ReturnType<typeof setTimeout> | undefined
  let latest: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(quiet)
    clearTimeout(latest)
    latest = undefined
  }
  const flush = () => {
    stop()
    const all = changes
    changes = []
    handle(all)
  }
  return {
    add(change: MemoryChange) {
      changes.push(change)
      clearTimeout(quiet)
      quiet = setTimeout(flush, quietMs)
      latest ??= setTimeout(flush, latestMs)
    },
    stop,
  }
}

function refresh(queries: QueryClient, changes: readonly MemoryChange[], when: 'now' | 'soon'): void {
  for (const query of queries.getQueryCache().findAll({ queryKey: ['live'], type: 'active' })) {
    if (concerns(query, changes) !== when) continue
    if (query.queryKey[1] === 'feed' && query.state.data !== undefined) {
      void patchFeed(queries, query.queryKey, changes).catch(noticeRefusal)
    } else void queries.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
}

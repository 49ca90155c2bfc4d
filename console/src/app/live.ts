import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { isClientError, type MemoryChange } from '../../../src/client/index.ts'
import { api, noticeRefusal } from './api.ts'

export type Connection = 'connecting' | 'open' | 'lost' | 'refused'

const keptChanges = 200
/** A burst of writes is one refresh: screens fetch again at most this often. */
const refreshMs = 400

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

/** Follows the tenant's changes while a key is logged in. After a change, the queries of the shown screen are fetched again. */
export function useLiveChanges(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['live'] })
      }, refreshMs)
    }
    const follow = async () => {
      try {
        const onConnection = (state: 'open' | 'lost') => {
          setConnection(state)
          if (state === 'open') refresh()
        }
        for await (const event of api.changes({ signal: leaving.signal, onConnection })) {
          if (event.event === 'change') {
            recent = [event, ...recent].slice(0, keptChanges)
            notify()
          }
          refresh()
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
      clearTimeout(timer)
      recent = []
      connection = 'connecting'
    }
  }, [queries])
}

import type { Client } from '../client/index.ts'
import type { BoundRef } from './bound-ref.ts'
import { uriOf } from './resources.ts'

/** Follows the changes of the tenant while a client is subscribed. */
export type ResourceChanges = {
  /** Resolves when the stream is open: every later change is reported. It rejects if the stream is refused. */
  start(): Promise<void>
  stop(): void
}

/**
 * Calls `updated` with the URI of each resource that changes. A bound connection hears of its own ref only. `lost` is called
 * when the stream breaks; it is opened again and resumes there.
 */
export function createResourceChanges(
  client: Client,
  bound: BoundRef,
  { updated, lost }: { updated(uri: string): void; lost?(): void },
): ResourceChanges {
  const stopped = new AbortController()
  let opened: Promise<void> | undefined
  async function follow(isOpen: () => void): Promise<void> {
    const onConnection = (state: 'open' | 'lost') => (state === 'open' ? isOpen() : lost?.())
    for await (const change of client.changes({ signal: stopped.signal, onConnection })) {
      if (change.event !== 'change' || (bound.ref !== null && change.memoryRef !== bound.ref)) continue
      updated(uriOf(change.memoryRef))
      for (const id of change.entryIds) updated(uriOf(change.memoryRef, id))
    }
  }
  return {
    start() {
      opened ??= new Promise<void>((resolve, reject) => {
        follow(resolve).then(resolve, (error: unknown) => {
          // The next subscription tries again.
          opened = undefined
          lost?.()
          reject(error)
        })
      })
      return opened
    },
    stop: () => stopped.abort(),
  }
}

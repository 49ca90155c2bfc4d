import { createClient, type HeartbeatEvent, type MemoryChange } from '../src/client/index.ts'
import type { Site, SiteTenant } from './site.ts'

/** A reader of a tenant's change stream, from the first position on, through everything that happens to the servers. */
export type Follower = {
  readonly changes: readonly MemoryChange[]
  /** The events of heartbeats. */
  readonly ticks: readonly HeartbeatEvent[]
  /** Parts of the log that the stream could not send. */
  readonly gaps: number
  stop(): Promise<void>
}

export function follow(site: Site, tenant: SiteTenant): Follower {
  const changes: MemoryChange[] = []
  const ticks: HeartbeatEvent[] = []
  const over = new AbortController()
  let gaps = 0
  let turn = 0
  const { key } = tenant
  // Servers restart at another address; the follower connects to the next one that is up.
  const toSomeServer: typeof fetch = (input, init) => {
    const url = site.fleet.urlAt(turn++)
    if (url === null) return Promise.reject(new TypeError('no server is up'))
    return fetch(String(input).replace('http://any', url), init)
  }
  const retry = { retries: Number.MAX_SAFE_INTEGER, baseMs: 20, maxMs: 500 }
  const client = createClient({ url: 'http://any', key, fetch: toSomeServer, retry })
  const reading = (async () => {
    for await (const change of client.changes({ after: 0, signal: over.signal })) {
      // A forget names nothing, so it is a gap too; nothing is missing after it.
      if (change.event === 'gap') gaps += change.reason === 'forgotten' ? 0 : 1
      else changes.push(change)
    }
  })()
  const counting = (async () => {
    for await (const tick of client.heartbeats.follow({ after: 0, signal: over.signal })) ticks.push(tick)
  })()
  for (const loop of [reading, counting]) loop.catch(() => {})
  return {
    changes,
    ticks,
    get gaps() {
      return gaps
    },
    async stop() {
      over.abort()
      await Promise.allSettled([reading, counting])
    },
  }
}

import { Gauge, type Registry } from 'prom-client'
import type { Engine } from '../app/engine.ts'
import { limits } from '../core/limits.ts'
import type { HostStats } from '../ports/stats-store.ts'
import type { RequestTurns } from './request-turns.ts'
import { openStreams } from './sse.ts'

/** How this process and the database behind it stand at the moment of being asked. */
export function measureHost(registry: Registry, engine: Engine, turns: RequestTurns): void {
  const registers = [registry]
  /** Null is not known: then there is no value, where a 0 would say that all is well. */
  const gauge = (name: string, help: string, read: () => number | Promise<number | null>) =>
    new Gauge({
      name: `colophon_${name}`,
      help,
      registers,
      async collect() {
        const value = await read()
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  const { storage, indexer } = engine
  gauge('event_streams_open', 'Open event streams', openStreams)
  gauge('http_requests_waiting', 'Requests that wait for a turn of their tenant', turns.waiting)
  gauge('index_backlog_rows', 'Rows that wait for the search index in this process', () => indexer.backlog)
  gauge('commits_queued', 'Commits that wait for their transaction or are in it', () => storage.pressure().commits)
  const { connections } = storage.pressure()
  if (connections !== null) {
    const pool = () => storage.pressure().connections ?? connections
    gauge('database_connections_open', 'Connections to the database', () => pool().open)
    gauge('database_connections_in_use', 'Connections that are in use', () => pool().open - pool().idle)
    gauge('database_connections_waiting', 'Calls that wait for a connection', () => pool().waiting)
  }
  const look = lookAtHost(engine)
  gauge('database_up', 'Whether the database answers', async () => ((await look()) === null ? 0 : 1))
  gauge('jobs_waiting', 'Jobs that wait or are under way', async () => (await look())?.jobsWaiting ?? null)
  gauge('jobs_due', 'Jobs that are due and not begun', async () => (await look())?.jobsDue ?? null)
  gauge('jobs_dead', 'Jobs that were given up', async () => (await look())?.jobsDead ?? null)
  gauge('job_oldest_due_seconds', 'How long the oldest due job has waited', async () => {
    const found = await look()
    if (found === null) return null
    return found.oldestDueAt === null ? 0 : Math.max(engine.system.now() - found.oldestDueAt, 0) / 1_000
  })
  new Gauge({
    name: 'colophon_runs_active',
    help: 'Runs that have not ended, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await look()
      this.reset()
      for (const [status, count] of found?.runs ?? []) this.set({ status }, count)
    },
  })
}

/** Everybody may ask for the metrics: however often they do, the database is asked now and then. Null when it does not answer. */
function lookAtHost({ storage, system }: Engine): () => Promise<HostStats | null> {
  let last: { readonly at: number; readonly found: Promise<HostStats | null> } | null = null
  return () => {
    // Not the time of day: a clock that is set back would keep what was found until it has caught up.
    const at = performance.now()
    if (last === null || at - last.at >= limits.hostStatsMs) {
      const query = { now: system.now(), countMax: limits.hostStatsRowsMax }
      const asked = storage.stats.readHost(query).catch(() => null)
      last = { at, found: Promise.race([asked, nothingAfter(limits.hostStatsWaitMs)]) }
    }
    return last.found
  }
}

function nothingAfter(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}

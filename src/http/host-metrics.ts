import { Gauge, type Registry } from 'prom-client'
import type { Engine } from '../app/engine.ts'
import { limits } from '../core/limits.ts'
import type { HostStats } from '../ports/stats-store.ts'
import type { RequestQueue } from './request-queue.ts'
import { openStreams } from './sse.ts'

/** Gauges of this process and its database, read at each scrape. */
export function measureHost(registry: Registry, engine: Engine, requestQueue: RequestQueue): void {
  const registers = [registry]
  /** Null means unknown: then the gauge has no value, because 0 would look healthy. */
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
  gauge('http_requests_waiting', 'Requests that wait in the queue of their tenant', requestQueue.waiting)
  gauge('index_backlog_rows', 'Rows that wait for the search index in this process', () => indexer.backlog)
  gauge('commits_queued', 'Commits that wait for their transaction or are in it', () => storage.pressure().commits)
  gauge('commits_overdue', 'Commits that the database did not confirm in time', () => storage.pressure().commitsOverdue)
  const { connections } = storage.pressure()
  if (connections !== null) {
    const pool = () => storage.pressure().connections ?? connections
    gauge('database_connections_open', 'Connections to the database', () => pool().open)
    gauge('database_connections_in_use', 'Connections that are in use', () => pool().open - pool().idle)
    gauge('database_connections_waiting', 'Calls that wait for a connection', () => pool().waiting)
  }
  gauge('audit_verified_timestamp_seconds', 'When a whole audit log was last found valid in this process', async () => {
    const { validAt } = engine.host.auditVerifications
    return validAt === null ? null : validAt / 1_000
  })
  const readStats = cachedHostStats(engine)
  gauge('database_up', 'Whether the database answers', async () => ((await readStats()) === null ? 0 : 1))
  gauge('jobs_waiting', 'Jobs that wait or run', async () => (await readStats())?.jobsWaiting ?? null)
  gauge('jobs_due', 'Jobs that are due and not started', async () => (await readStats())?.jobsDue ?? null)
  gauge('jobs_dead', 'Jobs in the dead letter queue', async () => (await readStats())?.jobsDead ?? null)
  gauge('job_oldest_due_seconds', 'How long the oldest due job has waited', async () => {
    const stats = await readStats()
    if (stats === null) return null
    return stats.oldestDueAt === null ? 0 : Math.max(engine.system.now() - stats.oldestDueAt, 0) / 1_000
  })
  new Gauge({
    name: 'colophon_runs_active',
    help: 'Runs that have not ended, by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const stats = await readStats()
      this.reset()
      for (const [status, count] of stats?.runs ?? []) this.set({ status }, count)
    },
  })
}

/** Reads the host statistics at most once per `hostStatsMs`, because `/metrics` needs no key. Null when the database does not answer. */
function cachedHostStats({ storage, system }: Engine): () => Promise<HostStats | null> {
  let last: { readonly at: number; readonly stats: Promise<HostStats | null> } | null = null
  return () => {
    // A monotonic clock: if the system clock were set back, the cached value would stay too long.
    const at = performance.now()
    if (last === null || at - last.at >= limits.hostStatsMs) {
      const query = { now: system.now(), countMax: limits.hostStatsRowsMax }
      const reading = storage.stats.readHost(query).catch(() => null)
      last = { at, stats: Promise.race([reading, nullAfter(limits.hostStatsWaitMs)]) }
    }
    return last.stats
  }
}

function nullAfter(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}

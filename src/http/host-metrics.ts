import { Gauge, type Registry } from 'prom-client'
import type { Engine } from '../app/engine.ts'
import { limits } from '../core/limits.ts'
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
  const { storage, indexer, instants } = engine
  gauge('event_streams_open', 'Open event streams', openStreams)
  gauge('http_requests_waiting', 'Requests that wait in the queue of their tenant', requestQueue.waiting)
  gauge('index_backlog_rows', 'Rows that wait for the search index in this process', () => indexer.backlog)
  gauge('commits_queued', 'Commits that wait for their transaction or are in it', () => storage.pressure().commits)
  gauge('commits_overdue', 'Commits that the database did not confirm in time', () => storage.pressure().commitsOverdue)
  gauge('clock_behind_seconds', 'How far the clock is behind the latest record', () => instants.behindMs / 1_000)
  const { connections } = storage.pressure()
  if (connections !== null) {
    const pool = () => storage.pressure().connections ?? connections
    gauge('database_connections_open', 'Connections to the database', () => pool().open)
    gauge('database_connections_in_use', 'Connections that are in use', () => pool().open - pool().idle)
    gauge('database_connections_waiting', 'Calls that wait for a connection', () => pool().waiting)
  }
  const verifiedAt = cached(() => oldestVerification(engine))
  gauge('audit_verified_timestamp_seconds', 'Since when the audit logs of all tenants are verified', async () => {
    const at = await verifiedAt()
    return at === null ? null : at / 1_000
  })
  const query = () => ({ now: engine.system.now(), countMax: limits.hostStatsRowsMax })
  const readStats = cached(() => storage.stats.readHost(query()))
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

/** Reads at most once per `hostStatsMs`, because `/metrics` needs no key. Null when the database does not answer. */
function cached<T>(read: () => Promise<T>): () => Promise<T | null> {
  let last: { readonly at: number; readonly value: Promise<T | null> } | null = null
  return () => {
    // A monotonic clock: if the system clock were set back, the cached value would stay too long.
    const at = performance.now()
    if (last === null || at - last.at >= limits.hostStatsMs)
      last = { at, value: Promise.race([read().catch(() => null), nullAfter(limits.hostStatsWaitMs)]) }
    return last.value
  }
}

/** The verification that is longest ago, of all tenants; null while this process has not verified each of them. */
async function oldestVerification({ storage, host }: Engine): Promise<number | null> {
  let oldest: number | null = null
  for (let after: string | null = null; ; ) {
    const tenants = await storage.tenants({ after, limit: limits.hostStatsRowsMax })
    for (const { tenantId, createdAt } of tenants) {
      const at = host.auditVerifications.verifiedAt(tenantId, createdAt)
      if (at === null) return null
      oldest = Math.min(oldest ?? at, at)
    }
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null || tenants.length < limits.hostStatsRowsMax) return oldest
  }
}

function nullAfter(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Counters } from '../app/counters.ts'
import type { Engine, Host } from '../app/engine.ts'
import { AuditVerifications } from '../app/verify/audit-verifications.ts'
import type { HostStats } from '../ports/stats-store.ts'
import { emitMeasurement, type Measurement } from '../telemetry/measurement.ts'
import { newTraceScope, type TraceScope } from '../telemetry/trace-scope.ts'
import { measure } from './metrics.ts'
import type { RequestQueue } from './request-queue.ts'
import type { App } from './route-context.ts'
import { logSlowWork } from './slow-log.ts'

const stats: HostStats = {
  jobsWaiting: 3,
  jobsDue: 2,
  jobsDead: 1,
  oldestDueAt: 90_000,
  runs: new Map([['running', 4]]),
}

/** A server with metrics and a log of slow requests, on a stubbed storage. */
function openServer({
  readHost = async () => stats,
  slowMs = 0,
  tenants = [],
}: {
  tenants?: readonly { tenantId: string; createdAt: number }[]
  readHost?: () => Promise<HostStats>
  slowMs?: number
}) {
  const logged: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void logged.push(JSON.parse(line)) }
  const app = Fastify({ logger: { level: 'warn', stream } }) as unknown as App
  app.decorateRequest('traceScope', null)
  const [upkeep, endedRuns, compactions] = [new Counters(), new Counters(), new Counters()]
  const auditVerifications = new AuditVerifications(50_000)
  const host: Partial<Host> = {
    upkeepCounters: upkeep,
    endedRunCounters: endedRuns,
    compactionCounters: compactions,
    auditVerifications,
  }
  const storage = {
    pressure: () => ({ commits: 5, commitsOverdue: 0, connections: null }),
    stats: { readHost },
    tenants: async () => tenants,
  }
  const instants = { behindMs: 0 }
  const engine = { storage, system: { now: () => 100_000 }, indexer: { backlog: 6 }, instants, host }
  measure(app, engine as unknown as Engine, { waiting: () => 7 } as RequestQueue)
  logSlowWork(app, slowMs)
  app.get('/v1/memory/:ref', async () => ({}))
  const metrics = async () => (await app.inject('/metrics')).body
  return {
    app,
    upkeep,
    endedRuns,
    compactions,
    auditVerifications,
    metrics,
    logged,
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name))
const measured = (parts: Partial<Measurement> = {}): Measurement => ({
  name: 'job',
  labels: { kind: 'colophon.run' },
  outcome: 'ok',
  ms: 20,
  traceScope: undefined,
  waitedMs: 0,
  ...parts,
})

test('requests are counted by the pattern of their route; paths and methods of clients are no labels', async () => {
  await using server = openServer({})
  for (const url of ['/v1/memory/ada', '/v1/memory/bob', '/v1/no/such/ada']) await server.app.inject(url)
  const text = await server.metrics()
  assert.deepEqual(linesOf(text, 'colophon_http_requests_total').sort(), [
    'colophon_http_requests_total{method="GET",route="/v1/memory/:ref",status="200"} 2',
    'colophon_http_requests_total{method="GET",route="none",status="404"} 1',
  ])
  assert.ok(!text.includes('ada') && !text.includes('bob'))
})

test('the age of verifications is that of the tenant whose log was verified longest ago', async () => {
  const old = { tenantId: 'old', createdAt: 1_000 }
  const other = { tenantId: 'other', createdAt: 2_000 }
  const young = { tenantId: 'young', createdAt: 90_000 }
  const ageWith = async (tenants: readonly (typeof old)[], verified: Readonly<Record<string, number>>) => {
    await using server = openServer({ tenants })
    for (const [tenantId, at] of Object.entries(verified)) server.auditVerifications.add(tenantId, 'valid', at)
    return linesOf(await server.metrics(), 'colophon_audit_verified_timestamp_seconds ')
  }
  assert.deepEqual(await ageWith([old, other], { old: 70_000 }), [], 'one tenant alone does not refresh it')
  const line = (seconds: number) => [`colophon_audit_verified_timestamp_seconds ${seconds}`]
  assert.deepEqual(await ageWith([old, other], { old: 70_000, other: 80_000 }), line(70))
  assert.deepEqual(await ageWith([old, young], { old: 95_000 }), line(90), 'nothing is older than the tenant itself')
})

test('counters of the process are exported as metrics', async () => {
  await using server = openServer({})
  server.upkeep.add('expired', 2)
  server.upkeep.add('expired', 3)
  server.endedRuns.add('failed', 1)
  server.compactions.add('distillation', 4)
  for (let n = 0; n < 2; n++) {
    const text = await server.metrics()
    assert.deepEqual(linesOf(text, 'colophon_upkeep_total'), ['colophon_upkeep_total{what="expired"} 5'])
    assert.deepEqual(linesOf(text, 'colophon_runs_ended_total'), ['colophon_runs_ended_total{status="failed"} 1'])
    const made = linesOf(text, 'colophon_compactions_total')
    assert.deepEqual(made, ['colophon_compactions_total{kind="distillation"} 4'])
  }
})

test('operations are counted by outcome, and a wait is never negative', async () => {
  await using server = openServer({})
  emitMeasurement(measured())
  emitMeasurement(measured({ outcome: 'job_lease_lost', waitedMs: -5 }))
  const text = await server.metrics()
  assert.deepEqual(linesOf(text, 'colophon_job_attempts_total').sort(), [
    'colophon_job_attempts_total{kind="colophon.run",outcome="job_lease_lost"} 1',
    'colophon_job_attempts_total{kind="colophon.run",outcome="ok"} 1',
  ])
  assert.deepEqual(linesOf(text, 'colophon_job_wait_seconds_sum'), ['colophon_job_wait_seconds_sum 0'])
})

test('the state of the host is exported, and the database is queried once for many scrapes', async () => {
  let asked = 0
  const readHost = async () => {
    asked += 1
    return stats
  }
  await using server = openServer({ readHost })
  await server.metrics()
  const text = await server.metrics()
  assert.equal(asked, 1)
  for (const line of [
    'colophon_database_up 1',
    'colophon_jobs_waiting 3',
    'colophon_job_oldest_due_seconds 10',
    'colophon_runs_active{status="running"} 4',
    'colophon_clock_behind_seconds 0',
    'colophon_commits_queued 5',
    'colophon_http_requests_waiting 7',
  ]) {
    assert.ok(text.split('\n').includes(line), line)
  }
  assert.deepEqual(linesOf(text, 'colophon_database_connections'), [])
})

test('a database that does not answer is exported as down, and its gauges have no value instead of 0', async () => {
  await using server = openServer({ readHost: async () => Promise.reject(new Error('away')) })
  const text = await server.metrics()
  assert.deepEqual(linesOf(text, 'colophon_database_up'), ['colophon_database_up 0'])
  assert.deepEqual([...linesOf(text, 'colophon_jobs_'), ...linesOf(text, 'colophon_runs_active')], [])
})

test('a slow request is logged with its route pattern and the times that it waited, without its path', async () => {
  await using server = openServer({ slowMs: 0.000_001 })
  await server.app.inject('/v1/memory/ada')
  const [line] = server.logged
  assert.deepEqual(
    [line?.msg, line?.route, line?.method, line?.status, line?.databaseMs, line?.queueMs],
    ['slow request', '/v1/memory/:ref', 'GET', 200, 0, 0],
  )
  assert.ok(!JSON.stringify(server.logged).includes('ada'))
})

test('a job is slow from the limit on; its database time excludes its queue time', async () => {
  await using server = openServer({ slowMs: 100 })
  const scope: TraceScope = { ...newTraceScope(undefined as never), storageMs: 70, commitQueueMs: 30 }
  const queued: TraceScope = { ...newTraceScope(undefined as never), commitQueueMs: 5 }
  emitMeasurement(measured({ ms: 99.9, traceScope: scope }))
  emitMeasurement(measured({ ms: 500, name: 'commit', labels: { operation: 'put' } }))
  emitMeasurement(measured({ ms: 100, traceScope: scope, waitedMs: 12, outcome: 'ok' }))
  emitMeasurement(measured({ ms: 200, traceScope: queued }))
  assert.deepEqual(
    server.logged.map(({ msg, job, ms, waitedMs, databaseMs, queueMs }) => [
      msg,
      job,
      ms,
      waitedMs,
      databaseMs,
      queueMs,
    ]),
    [
      ['slow job', 'colophon.run', 100, 12, 40, 30],
      ['slow job', 'colophon.run', 200, 0, 0, 5],
    ],
  )
  await server.app.close()
  emitMeasurement(measured({ ms: 300 }))
  assert.equal(server.logged.length, 2, 'a closed server no longer listens')
})

test('with a limit of 0 nothing is logged as slow', async () => {
  await using server = openServer({ slowMs: 0 })
  await server.app.inject('/v1/memory/ada')
  emitMeasurement(measured({ ms: 10 ** 9 }))
  assert.deepEqual(server.logged, [])
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { chain, ended, host, put, register, startRun } from '../server/runs-calls.ts'
import { startReceiver } from '../server/webhooks-receiver.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { says, startModelStandIn } from '../support/model-stand-in.ts'
import { sendRaw } from '../support/raw-http.ts'
import { storagesOfBehaviour } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const scrape = async (server: ServerProcess) => (await server.as(null)('GET', '/metrics')).text

/** Everything but the value. Node's own metrics change by themselves. */
function seriesIn(metrics: string): string[] {
  const lines = metrics.split('\n').filter((line) => /^colophon_(?!nodejs|process)/.test(line))
  return lines.map((line) => line.replace(/ \S+$/, '')).filter((line) => !line.includes('route="/metrics"'))
}

function readValue(metrics: string, series: string): number {
  const line = metrics.split('\n').find((one) => one.startsWith(`${series} `))
  assert.ok(line, `${series} is missing`)
  return Number(line.slice(series.length))
}

/** Every part of a call in which a client can put its own text. */
async function hostileRound(server: ServerProcess, receiverUrl: string, word: string): Promise<void> {
  const { call } = await server.tenant(`t-${word}`)
  const entries = `${host}/memory/${word}/entries`
  const headers = { 'idempotency-key': word, 'x-request-id': word, 'user-agent': word, traceparent: word }
  await call('POST', entries, { content: word, tags: [word], subject: word }, headers)
  await call('POST', entries, { content: word, expiresAt: word })
  await call('GET', `${entries}/${word}`)
  await call('GET', `/${word}/${word}?${word}`)
  await call('GET', `/v1/memories/${word}`)
  for (const method of ['PROPFIND', 'LOCK', 'PURGE', 'OPTIONS']) await call(method, `/${word}`)
  await sendRaw(server.url, `${word.toUpperCase()} /${word} HTTP/1.1\r\nHost: ${word}\r\n\r\n`)
  await server.as(word)('GET', entries)
  await register(call, chain(`flow-${word}`, [put(`node-${word}`, word, word)]))
  await call('POST', `${host}/workflows`, chain(`bad-${word}`, [{ id: word, typeId: word }]))
  await call('POST', '/v1/webhooks', { url: `${receiverUrl}/${word}`, events: ['run.completed'] })
  await call('POST', '/v1/webhooks', { url: `${receiverUrl}/500`, events: ['run.completed'] })
  await ended(call, await startRun(call, `flow-${word}`, { tags: [word] }))
  await call('POST', '/v1/runs', { workflowId: word })
  await call('PUT', `${host}/schedules/${word}`, { cron: '* * * * *', kind: word })
}

test('no request adds a series, and no series contains client input', async () => {
  await using receiver = await startReceiver()
  await using server = await startServerProcess({ env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
  const marker = `canary${hex(8)}`
  const round = async (nth: number) => {
    await hostileRound(server, receiver.url, `${marker}${nth}`)
    // A run may have ended before its deliveries have: both ways have to be counted before counting series.
    await eventually('both deliveries were tried', async () => {
      const text = await scrape(server)
      const tried = /^colophon_webhook_deliveries_total\{outcome="(\w+)"\} (\d+)$/gm
      const counts = Object.fromEntries([...text.matchAll(tried)].map(([, outcome, count]) => [outcome, Number(count)]))
      // The job of a delivery ends after its call.
      const ended = Number(
        /^colophon_job_attempts_total\{kind="colophon.webhook",outcome="ok"\} (\d+)$/m.exec(text)?.[1],
      )
      return counts.ok >= nth + 1 && counts.status >= nth + 1 && ended >= nth + 1
    })
  }
  await round(0)
  const before = new Set(seriesIn(await scrape(server)))
  for (let nth = 1; nth <= 8; nth++) await round(nth)
  const text = await scrape(server)
  assert.deepEqual(
    seriesIn(text).filter((series) => !before.has(series)),
    [],
  )
  for (const planted of [marker, marker.toUpperCase(), server.key, server.operatorKey])
    assert.ok(!text.includes(planted))
  assert.ok(seriesIn(text).some((series) => series.includes('method="_OTHER",route="none"')))
})

describe('operators see the state of the server', () => {
  for (const storage of storagesOfBehaviour) {
    test(`on ${storage}`, async () => {
      await using receiver = await startReceiver()
      await using server = await startServerProcess({ storage, env: { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' } })
      const { call, key } = await server.tenant()
      await register(call, chain('quick', [put('keep', 'tea')]))
      await register(call, chain('asks', [{ id: 'gate', typeId: 'core.approvalGate' }]))
      await call('POST', '/v1/webhooks', { url: `${receiver.url}/hook`, events: ['run.completed'] })
      await ended(call, await startRun(call, 'quick'))
      await receiver.until('/hook', 'of the end', (deliveries) => deliveries.length === 1)
      await startRun(call, 'asks')
      const changes = await openChanges(server.url, key)
      await eventually('the run that waits is counted', async () =>
        (await scrape(server)).includes('colophon_runs_active{status="waiting-approval"} 1'),
      )
      const text = await scrape(server)
      await changes.close()
      const atLeast: Readonly<Record<string, number>> = {
        'colophon_commits_total{operation="run.create",outcome="ok"}': 2,
        'colophon_job_attempts_total{kind="colophon.run",outcome="ok"}': 2,
        'colophon_nodes_total{type="colophon.memory.put",outcome="ok"}': 1,
        'colophon_webhook_deliveries_total{outcome="ok"}': 1,
        'colophon_runs_ended_total{status="completed"}': 1,
        'colophon_http_request_seconds_count{method="POST",route="/v1/runs"}': 2,
        colophon_commit_seconds_count: 5,
        colophon_job_wait_seconds_count: 3,
        colophon_event_streams_open: 1,
        colophon_http_requests_waiting: 0,
        colophon_jobs_waiting: 1,
        colophon_jobs_due: 0,
        colophon_jobs_dead: 0,
        colophon_job_oldest_due_seconds: 0,
        colophon_index_backlog_rows: 0,
        colophon_commits_queued: 0,
        colophon_commits_overdue: 0,
        colophon_database_up: 1,
        colophon_nodejs_eventloop_lag_p99_seconds: 0,
        ...(storage === 'postgres'
          ? { colophon_database_connections_open: 1, colophon_database_connections_waiting: 0 }
          : {}),
      }
      for (const [series, least] of Object.entries(atLeast)) assert.ok(readValue(text, series) >= least, series)
    })
  }
})

test('slow requests and jobs are logged by route or kind, with what they waited for, and without client input', async () => {
  await using model = await startModelStandIn((response, call) => {
    setTimeout(() => says({ memories: [] })(response, call), 20)
  })
  const env = {
    COLOPHON_SLOW_MS: '2',
    COLOPHON_LOG_LEVEL: 'warn',
    COLOPHON_LLM_URL: model.url,
    COLOPHON_LLM_MODEL: 'm',
  }
  await using server = await startServerProcess({ env })
  const word = `canary${hex(8)}`
  const { call, id } = await server.tenant(`t-${word}`)
  const traceId = hex(16)
  const headers = { traceparent: `00-${traceId}-${hex(8)}-01`, tracestate: `a=${word}`, 'idempotency-key': word }
  const said = { external_user_id: word, messages: [{ role: 'user', content: `I moved to ${word}.` }] }
  assert.ok((await call('POST', '/v1/memories/add', said, headers)).status < 300)
  await register(call, chain(`flow-${word}`, [{ id: 'gate', typeId: 'core.approvalGate' }]))
  const runId = await startRun(call, `flow-${word}`)
  await call('GET', `/v1/runs/${runId}/events/poll?timeout=1&lastSequence=100`)
  await eventually('a slow request and a slow job are logged', async () =>
    ['/v1/runs/:runId/events/poll","status"', '"job":"colophon.ingest"'].every((what) => server.logs().includes(what)),
  )
  const lines = server
    .logs()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const slow = (msg: string) => lines.filter((line) => line.msg === msg)
  const poll = slow('slow request').find(({ route }) => route === '/v1/runs/:runId/events/poll')
  assert.ok(poll, JSON.stringify(slow('slow request')))
  assert.deepEqual(
    [poll.method, poll.status, typeof poll.databaseMs, poll.queueMs, poll.turnMs],
    ['GET', 200, 'number', 0, 0],
  )
  assert.ok(poll.ms >= 2)
  const ingestion = slow('slow job').find(({ job }) => job === 'colophon.ingest')
  assert.ok(ingestion, JSON.stringify(slow('slow job')))
  assert.ok(ingestion.ms >= 20 && ingestion.databaseMs > 0 && ingestion.waitedMs >= 0)
  const known = ['level', 'time', 'pid', 'hostname', 'reqId', 'msg', 'method', 'route', 'status', 'job', 'outcome']
  const allowed = [...known, 'ms', 'waitedMs', 'turnMs', 'databaseMs', 'queueMs']
  for (const line of [...slow('slow request'), ...slow('slow job')])
    assert.deepEqual(
      Object.keys(line).filter((name) => !allowed.includes(name)),
      [],
    )
  for (const planted of [word, id, traceId, runId]) assert.ok(!server.logs().includes(planted), planted)
})

test('a threshold of 0 logs nothing', async () => {
  await using server = await startServerProcess({ env: { COLOPHON_SLOW_MS: '0' } })
  await register(server.call, chain('asks', [{ id: 'gate', typeId: 'core.approvalGate' }]))
  const runId = await startRun(server.call, 'asks')
  await server.call('GET', `/v1/runs/${runId}/events/poll?timeout=1&lastSequence=100`)
  assert.doesNotMatch(server.logs(), /slow/)
})

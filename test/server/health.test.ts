import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { assertError } from '../support/envelope.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { createHome } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const refs = '/v1/host/colophon/memory'
const statusOf = async (server: ServerProcess, path: string) => (await server.as(null)('GET', path)).status
/** What the metrics say of the database. */
async function countedIn(server: ServerProcess): Promise<string[]> {
  const { text } = await server.as(null)('GET', '/metrics')
  return text.split('\n').filter((line) => /^colophon_(database_up|jobs_|job_oldest|runs_active)/.test(line))
}

test('a server without its database is alive but not ready, refuses writes with a retry hint, and recovers', async () => {
  const database = await startPostgres({ fsync: 'off' })
  try {
    await using home = await createHome('memory')
    const env = { COLOPHON_DATABASE_URL: database.url, COLOPHON_STORAGE: 'postgres' }
    await using server = await startServerProcess({ home: { ...home, env: { ...home.env, ...env } } })
    assert.equal(await statusOf(server, '/readyz'), 200)
    database.kill()
    await eventually('it is not ready', async () => (await statusOf(server, '/readyz')) === 503)
    assert.equal(await statusOf(server, '/healthz'), 200)
    const away = await countedIn(server)
    assert.deepEqual(away, ['colophon_database_up 0'], 'what is not known is not said to be 0')
    const refused = await server.call('POST', `${refs}/notes/entries`, { content: 'tea' })
    assertError(refused, 503, 'storage_unavailable')
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    await database.restart()
    await eventually('it is ready again', async () => (await statusOf(server, '/readyz')) === 200)
    assert.equal((await server.call('POST', `${refs}/notes/entries`, { content: 'tea' })).status, 201)
    await eventually('its jobs are counted again', async () =>
      (await countedIn(server)).includes('colophon_jobs_dead 0'),
    )
    assert.deepEqual(await server.stop(), { code: 0, signal: null })
  } finally {
    await database.stop()
  }
})

/** Label sets of all series, by the name of the metric. */
function seriesIn(metrics: string): Map<string, string[]> {
  const series = new Map<string, string[]>()
  for (const [, name = '', labels = ''] of metrics.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    series.set(name, [...(series.get(name) ?? []), labels])
  }
  return series
}

test('metrics count requests under labels that do not depend on client input', async () => {
  await using server = await startServerProcess()
  const marker = `canary${randomBytes(8).toString('hex')}`
  const mix = async (index: number) => {
    const name = `${marker}-${index}`
    const put = await server.call('POST', `${refs}/${name}/entries`, { content: name, tags: [name], subject: name })
    assert.equal(put.status, 201)
    await server.call('GET', `${refs}/${name}/entries/${put.body.id}`)
    await server.call('GET', `${refs}/${name}/entries?tag=${name}`)
    await server.call('GET', `/v1/memory/${name}`)
    await server.call('GET', `/${name}`)
    await server.call('GET', `/v1/tenant/${name}?${name}=${name}`)
    await server.call('PUT', `/v1/host/colophon/secrets/${name}`, { value: randomBytes(9).toString('hex') })
    await server.as(name)('GET', `${refs}/${name}/entries`)
    return put.body.id as string
  }
  await mix(0)
  const before = seriesIn((await server.as(null)('GET', '/metrics')).text)
  const ids: string[] = []
  for (let index = 1; index <= 20; index++) ids.push(await mix(index))
  const { status, text, headers } = await server.as(null)('GET', '/metrics')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  for (const canary of [marker, server.key, server.operatorKey, ...ids]) assert.ok(!text.includes(canary))

  const series = seriesIn(text)
  const requests = series.get('colophon_http_requests_total') ?? []
  assert.ok(requests.length > 5, 'requests are counted')
  for (const labels of requests) assert.match(labels, /^method="[A-Z]+",route="[^"]*",status="\d{3}"$/)
  // One more: the call for the metrics themselves.
  assert.ok(requests.length <= (before.get('colophon_http_requests_total')?.length ?? 0) + 1, requests.join('\n'))
  assert.ok(series.has('colophon_http_request_seconds_bucket'))
  assert.ok(series.has('colophon_process_cpu_seconds_total'))
})

test('a wrong or unknown method adds no labels', async () => {
  await using server = await startServerProcess()
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'LOCK', 'PURGE']) {
    assert.equal((await server.as(null)(method, `${refs}/x`)).status, 401, method)
  }
  const { text } = await server.as(null)('GET', '/metrics')
  const routes = new Set(
    (seriesIn(text).get('colophon_http_requests_total') ?? []).map((labels) => /route="([^"]*)"/.exec(labels)?.[1]),
  )
  assert.deepEqual([...routes], ['none'])
})

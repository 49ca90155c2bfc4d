// Measures several servers on one PostgreSQL, and what a busy tenant costs a quiet one:
// node bench/processes.ts [ROUNDS] [SECONDS] [quiet]   (default: 10 rounds of 2 seconds each; `quiet` is only the last part)
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { startPostgres } from '../test/support/postgres-server.ts'
import { type Connection, openConnections } from './http-load.ts'
import { type Running, startServer } from './servers.ts'

const counts = [1, 2, 4]
const connections = 32
const hotConnections = 64
const operatorKey = 'bench-operator-bench-operator'
const [rounds = 10, seconds = 2] = process.argv.slice(2, 4).map(Number)
const onlyQuiet = process.argv[4] === 'quiet'

type Target = { readonly url: string; readonly key: string }
type Work = 'put' | 'list' | 'both'

const path = '/v1/host/colophon/memory/bench/entries'
const body = JSON.stringify({
  content: `Ada prefers tea. ${'She said so on Monday. '.repeat(12)}`,
  tags: ['preference'],
})

/** Calls one after the other until the time has passed; returns the duration of each in milliseconds. */
async function askUntil(until: number, { ask }: Connection, work: Work): Promise<number[]> {
  const times: number[] = []
  while (Date.now() < until) {
    const isPut = work === 'put' || (work === 'both' && times.length % 2 === 0)
    const from = performance.now()
    await (isPut ? ask('POST', path, body) : ask('GET', `${path}?limit=50`))
    times.push(performance.now() - from)
  }
  return times
}

async function measure(targets: readonly Target[], work: Work): Promise<number[]> {
  const opened = await Promise.all(targets.map(({ url, key }) => openConnections(url, 1, key)))
  const until = Date.now() + seconds * 1_000
  const times = await Promise.all(
    opened.flatMap(({ connections }) => connections.map((one) => askUntil(until, one, work))),
  )
  for (const { close } of opened) close()
  return times.flat()
}

/** The same in its own thread, so that the measurement does not wait behind the load. */
function measureApart(target: Target, work: Work): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { target, work }, argv: process.argv.slice(2) })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

const at = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
const median = (values: readonly number[]) => at(values, 0.5)
const ms = (value: number) => `${value.toFixed(1)} ms`

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-processes-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startPostgres()
  const env = {
    COLOPHON_PORT: '0',
    COLOPHON_DATABASE_URL: postgres.url,
    COLOPHON_OPERATOR_KEY: operatorKey,
    COLOPHON_BOOTSTRAP_KEY: 'bench-key-bench-key-bench-key',
    COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
    COLOPHON_LOG_LEVEL: 'error',
    COLOPHON_DATA_DIR: folder,
  }
  const servers: Running[] = []
  for (let n = 0; n < Math.max(...counts); n++) servers.push(await startServer(['src/cli/main.ts', 'serve'], env))
  const urls = servers.map(({ url }) => url)
  const keys = await Promise.all(Array.from({ length: connections + 2 }, (_, n) => makeTenant(urls[0] ?? '', `t${n}`)))
  const [hot = '', quiet = ''] = keys.splice(0, 2)
  const spread = (count: number): Target[] => keys.map((key, n) => ({ key, url: urls[n % count] ?? '' }))
  for (const key of [hot, quiet, ...keys]) await fill({ url: urls[0] ?? '', key })
  console.log(
    `load average ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds of ${seconds} s; ${connections} connections, each a tenant of its own`,
  )

  for (const work of onlyQuiet ? [] : (['put', 'list'] as const)) {
    const times = new Map<number, number[][]>(counts.map((count) => [count, []]))
    // Alternately, so that other load on the machine affects all of them.
    for (let round = 0; round < rounds; round++)
      for (const count of counts) times.get(count)?.push(await measure(spread(count), work))
    const rates = (count: number) => (times.get(count) ?? []).map((slice) => slice.length / seconds)
    for (const count of counts) {
      const ratios = rates(count).map((rate, round) => rate / (rates(1)[round] ?? Number.NaN))
      const all = (times.get(count) ?? []).flat()
      console.log(
        `${work}, ${count} processes: ${median(rates(count)).toFixed(0)} a second (${median(ratios).toFixed(2)} × one process), p50 ${ms(at(all, 0.5))}, p99 ${ms(at(all, 0.99))}`,
      )
    }
  }

  // The same load on a server that does nothing: the part of the ratio that comes from sharing two cores with the load generator.
  const idle = await startServer(['bench/http-servers.ts', 'nothing'])
  servers.push(idle)
  const elsewhere = Array.from({ length: hotConnections }, (): Target => ({ key: hot, url: idle.url }))
  for (const count of [1, 2]) {
    const target = { url: urls[0] ?? '', key: quiet }
    const busy = Array.from({ length: hotConnections }, (_, n): Target => ({ key: hot, url: urls[n % count] ?? '' }))
    const alone: number[] = []
    const beside: number[] = []
    const control: number[] = []
    let hotCalls = 0
    let idleCalls = 0
    for (let round = 0; round < rounds; round++) {
      alone.push(...(await measureApart(target, 'both')))
      const [times, ofHot] = await Promise.all([measureApart(target, 'both'), measure(busy, 'both')])
      beside.push(...times)
      hotCalls += ofHot.length
      const [besideNothing, ofNothing] = await Promise.all([measureApart(target, 'both'), measure(elsewhere, 'both')])
      control.push(...besideNothing)
      idleCalls += ofNothing.length
    }
    const ratio = (share: number, times = beside) => (at(times, share) / at(alone, share)).toFixed(2)
    const rate = (calls: number) => `${(calls / rounds / seconds).toFixed(0)} calls a second`
    console.log(
      `a quiet tenant on ${count} processes: alone p50 ${ms(at(alone, 0.5))}, p99 ${ms(at(alone, 0.99))}; beside one with ${hotConnections} connections ` +
        `(${rate(hotCalls)}) p50 ${ms(at(beside, 0.5))} (${ratio(0.5)} ×), p99 ${ms(at(beside, 0.99))} (${ratio(0.99)} ×); control: ` +
        `beside such connections to a server that does nothing (${rate(idleCalls)}) p50 ${ratio(0.5, control)} ×, p99 ${ratio(0.99, control)} ×`,
    )
  }
  for (const { child } of servers) {
    child.removeAllListeners('exit')
    child.kill('SIGTERM')
  }
  await Promise.all(servers.map(({ child }) => new Promise((resolve) => child.once('exit', resolve))))
  await postgres.stop()
}

async function makeTenant(url: string, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
  const made = await fetch(`${url}/v1/host/colophon/tenants`, { method: 'POST', headers, body: JSON.stringify({ id }) })
  return ((await made.json()) as { key: { key: string } }).key.key
}

async function fill({ url, key }: Target): Promise<void> {
  const {
    connections: [connection],
    close,
  } = await openConnections(url, 1, key)
  const entries = Array.from({ length: 100 }, () => JSON.parse(body) as unknown)
  await connection?.ask('POST', `${path}:batch`, JSON.stringify({ entries }))
  close()
}

if (isMainThread) await main()
else {
  const { target, work } = workerData as { target: Target; work: Work }
  parentPort?.postMessage(await measure([target], work))
}

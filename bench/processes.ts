// Measures several servers on one PostgreSQL, and what a busy tenant costs a quiet one:
// node bench/processes.ts [ROUNDS] [SECONDS] [quiet]   (default: 10 rounds of 2 seconds each; `quiet` is only the last part, on SQLite too)
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres-server.ts'
import { openConnections } from './http-load.ts'
import { at, body, measure, median, ms, newQuietTally, path, quietReport, quietRound, type Target } from './quiet.ts'
import { type Running, startServer } from './servers.ts'

const counts = [1, 2, 4]
const connections = 32
const operatorKey = 'bench-operator-bench-operator'
const [rounds = 10, seconds = 2] = process.argv.slice(2, 4).map(Number)
const onlyQuiet = process.argv[4] === 'quiet'

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
      for (const count of counts) times.get(count)?.push((await measure(spread(count), work, { seconds })).times)
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
  const { COLOPHON_DATABASE_URL: _, ...ofSqlite } = env
  const sqlite = await startServer(['src/cli/main.ts', 'serve'], {
    ...ofSqlite,
    COLOPHON_DATA_DIR: join(folder, 'sqlite'),
  })
  servers.push(idle, sqlite)
  const [hotOfSqlite = '', quietOfSqlite = ''] = await Promise.all(
    ['hot', 'quiet'].map((id) => makeTenant(sqlite.url, id)),
  )
  for (const key of [hotOfSqlite, quietOfSqlite]) await fill({ url: sqlite.url, key })
  const ofPostgres = { busyKey: hot, quietKey: quiet, idleUrl: idle.url }
  const scenes = [
    { name: 'one process, PostgreSQL', ...ofPostgres, urls: urls.slice(0, 1) },
    { name: 'two processes, PostgreSQL', ...ofPostgres, urls: urls.slice(0, 2) },
    { name: 'SQLite', busyKey: hotOfSqlite, quietKey: quietOfSqlite, idleUrl: idle.url, urls: [sqlite.url] },
  ].map((scene) => ({ scene, tally: newQuietTally() }))
  for (const { scene } of scenes) await quietRound(scene, seconds / 2, newQuietTally())
  for (let round = 0; round < rounds; round++)
    for (const { scene, tally } of scenes) await quietRound(scene, seconds, tally)
  for (const { scene, tally } of scenes)
    console.log([`a quiet and a busy tenant, ${scene.name}:`, ...quietReport(tally)].join('\n'))
  console.log(`load average ${loadavg()[0]?.toFixed(1)}`)
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

await main()

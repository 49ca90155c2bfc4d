import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres-server.ts'
import { openConnections } from './http-load.ts'
import { at, body, newQuietTally, path, quietRound } from './quiet.ts'
import type { Recorder } from './recorder.ts'
import { benchKey, type Running, startServer } from './servers.ts'
import type { WorkId } from './works.ts'

const operatorKey = 'bench-operator-bench-operator'

type Ids = { readonly quiet: WorkId; readonly control: WorkId; readonly busy: WorkId; readonly busyRare: WorkId }

const sqliteIds: Ids = { quiet: 'quiet', control: 'quietControl', busy: 'busy', busyRare: 'busyRare' }
const postgresIds: Ids = {
  ...{ quiet: 'quietPostgres', control: 'quietControlPostgres' },
  ...{ busy: 'busyPostgres', busyRare: 'busyRarePostgres' },
}
export const quietPostgresWorks = Object.values(postgresIds)

/** What a busy tenant costs a quiet one on the same process, and what it keeps of its own rate. */
export async function benchQuietTenant(
  recorder: Recorder,
  folder: string,
  { rounds, seconds, postgres }: { rounds: number; seconds: number; postgres: boolean },
): Promise<void> {
  if (recorder.wants(...Object.values(sqliteIds))) await measure(recorder, sqliteIds, folder, {}, rounds, seconds)
  if (!postgres || !recorder.wants(...quietPostgresWorks)) return
  const database = await startPostgres()
  try {
    await measure(recorder, postgresIds, folder, { COLOPHON_DATABASE_URL: database.url }, rounds, seconds)
  } finally {
    await database.stop()
  }
}

async function measure(
  recorder: Recorder,
  ids: Ids,
  folder: string,
  env: NodeJS.ProcessEnv,
  rounds: number,
  seconds: number,
): Promise<void> {
  const idle = await startServer(['bench/http-servers.ts', 'nothing'])
  const server = await startServer(['dist/cli/main.js', 'serve'], {
    COLOPHON_PORT: '0',
    COLOPHON_DATA_DIR: join(folder, ids.quiet),
    COLOPHON_BOOTSTRAP_KEY: benchKey,
    COLOPHON_OPERATOR_KEY: operatorKey,
    COLOPHON_LOG_LEVEL: 'error',
    ...env,
  })
  try {
    const [busyKey, quietKey] = [await makeTenant(server, 'busy'), await makeTenant(server, 'quiet')]
    const scene = { urls: [server.url], busyKey, quietKey, idleUrl: idle.url }
    await quietRound(scene, seconds / 2, newQuietTally())
    const tally = newQuietTally()
    for (let round = 0; round < rounds; round++) await quietRound(scene, seconds, tally)
    const { quiet, busy } = tally
    const p99 = (times: readonly number[]) => at(times, 0.99) / at(quiet.alone, 0.99)
    const kept = (rates: readonly number[]) => rates.map((rate, round) => rate / (busy.alone[round] ?? Number.NaN))
    recorder.note(ids.quiet, [p99(quiet.beside)])
    recorder.note(ids.control, [p99(quiet.control)])
    recorder.note(ids.busy, kept(busy.beside))
    recorder.note(ids.busyRare, kept(busy.besideRare))
  } finally {
    for (const { child } of [idle, server]) {
      child.removeAllListeners('exit')
      child.kill('SIGTERM')
    }
    await Promise.all([idle, server].map(({ child }) => new Promise((resolve) => child.once('exit', resolve))))
  }
}

/** A tenant with something to list; returns its key. */
async function makeTenant({ url }: Running, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
  const made = await fetch(`${url}/v1/host/colophon/tenants`, { method: 'POST', headers, body: JSON.stringify({ id }) })
  const { key } = (await made.json()) as { key: { key: string } }
  const {
    connections: [connection],
    close,
  } = await openConnections(url, 1, key.key)
  const entries = Array.from({ length: 100 }, () => JSON.parse(body) as unknown)
  await connection?.ask('POST', `${path}:batch`, JSON.stringify({ entries }))
  close()
  return key.key
}

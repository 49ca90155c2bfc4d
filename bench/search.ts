// The latency of a search over many entries of one person, over HTTP: node bench/search.ts [ENTRIES] [QUERIES] [--postgres]
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/postgres-server.ts'
import { createRandom } from '../test/support/random.ts'
import { benchKey, childTicks, cpuMs, startServer } from './servers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean', default: false } },
})
const [entries = 100_000, questions = 300] = positionals.map(Number)
/** Messages of one conversation. */
const batch = 200
const atOnce = 4
const random = createRandom(7)

/** Word frequencies by Zipf's law: the nth word is about 1/n as frequent as the first. */
const words = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}o`)
const word = () => words[Math.floor(words.length ** random()) - 1] ?? 'rare'
const sentence = (length: number) => Array.from({ length }, word).join(' ')
/** As common as "the": a search leaves such words out, and these made-up ones it cannot know. */
const tooCommon = new Set(words.slice(0, 30))
const rareWords = () => {
  const asked: string[] = []
  while (asked.length < 4) asked.push(...[word()].filter((said) => !tooCommon.has(said)))
  return asked.join(' ')
}
const commonest = () => Array.from({ length: 6 }, () => words[Math.floor(random() * 15)]).join(' ')

const series: Readonly<Record<string, () => object>> = {
  'four words, none of the 30 commonest': () => ({ query: rareWords() }),
  'six words as they come': () => ({ query: sentence(6) }),
  'six of the 15 commonest': () => ({ query: commonest() }),
  'four words, of the last day and one category': () => ({
    query: rareWords(),
    categories: ['fact'],
    time_filter_days: 1,
  }),
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-search-'))
const postgres = values.postgres ? await startPostgres() : null
const server = await startServer(['src/cli/main.ts', 'serve'], {
  COLOPHON_PORT: '0',
  COLOPHON_DATA_DIR: folder,
  COLOPHON_BOOTSTRAP_KEY: benchKey,
  COLOPHON_LOG_LEVEL: 'error',
  ...(postgres ? { COLOPHON_DATABASE_URL: postgres.url } : {}),
})
try {
  const began = performance.now()
  let left = entries
  const ingest = async () => {
    while (left > 0) {
      const length = Math.min(batch, left)
      left -= length
      const messages = Array.from({ length }, () => ({ role: 'user', content: sentence(12) }))
      const { job_id } = await call('POST', '/v1/memories/add', { external_user_id: 'ada', infer: false, messages })
      while ((await call('GET', `/v1/memories/jobs/${job_id}`)).status !== 'completed') await delay(5)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ingest))
  console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, ${load()}`)
  console.log(`${entries} entries in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
  const first = await timed({ query: rareWords() })
  console.log(`first retrieval after loading: ${first.toFixed(1)} ms`)
  for (const [name, ask] of Object.entries(series)) await measure(name, ask)
} finally {
  server.child.removeAllListeners('exit')
  server.child.kill()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function measure(name: string, ask: () => object): Promise<void> {
  for (let n = 0; n < 20; n++) await timed(ask())
  const times: number[] = []
  const cpu: number[] = []
  const before = databaseTicks()
  for (let n = 0; n < questions; n++) {
    const started = cpuMs(server)
    times.push(await timed(ask()))
    cpu.push(cpuMs(server) - started)
  }
  const database = ((databaseTicks() - before) * 10) / questions
  console.log(
    `${name}: ${percentiles(times)}; CPU of the server ${percentiles(cpu)}${databaseCpu(database)}, ${load()}`,
  )
}

function percentiles(values: number[]): string {
  values.sort((a, b) => a - b)
  const at = (share: number) => `${(values[Math.floor(share * values.length)] ?? 0).toFixed(1)} ms`
  return `p50 ${at(0.5)}, p95 ${at(0.95)}`
}

function databaseCpu(ms: number): string {
  return postgres ? `; CPU of the database ${ms.toFixed(1)} ms each` : ''
}

async function timed(question: object): Promise<number> {
  const started = performance.now()
  await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', limit: 10, ...question })
  return performance.now() - started
}

function databaseTicks(): number {
  return postgres ? childTicks(postgres.pid) : 0
}

function load(): string {
  return `load ${(loadavg()[0] ?? 0).toFixed(1)}`
}

async function call(method: string, path: string, body?: object): Promise<Record<string, string>> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}

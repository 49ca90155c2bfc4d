// How long a retrieval takes over many entries of one person, on SQLite, over HTTP: node bench/search.ts [ENTRIES] [QUESTIONS]
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from './entries.ts'
import { benchKey, readProcess, startServer } from './servers.ts'

const [entries = 100_000, questions = 300] = process.argv.slice(2).map(Number)
/** Messages of one conversation. */
const batch = 200
const atOnce = 4
const random = createRandom(7)

/** Words as common as words are: the nth is said about 1/n as often as the first. */
const words = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}o`)
const word = () => words[Math.floor(words.length ** random()) - 1] ?? 'rare'
const sentence = (length: number) => Array.from({ length }, word).join(' ')
/** As common as "the": a search leaves such words out, and these made-up ones it cannot know. */
const tooCommon = new Set(words.slice(0, 30))
const question = () => {
  const asked: string[] = []
  while (asked.length < 4) asked.push(...[word()].filter((said) => !tooCommon.has(said)))
  return asked.join(' ')
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-search-'))
const server = await startServer(['src/cli/main.ts', 'serve'], {
  COLOPHON_PORT: '0',
  COLOPHON_DATA_DIR: folder,
  COLOPHON_BOOTSTRAP_KEY: benchKey,
  COLOPHON_LOG_LEVEL: 'error',
})
try {
  const began = performance.now()
  let left = entries
  const tell = async () => {
    while (left > 0) {
      const length = Math.min(batch, left)
      left -= length
      const messages = Array.from({ length }, () => ({ role: 'user', content: sentence(12) }))
      const { job_id } = await call('POST', '/v1/memories/add', { external_user_id: 'ada', infer: false, messages })
      while ((await call('GET', `/v1/memories/jobs/${job_id}`)).status !== 'completed') await delay(5)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, tell))
  console.log(`${entries} entries in ${((performance.now() - began) / 1_000).toFixed(1)} s, load ${loadavg()[0]}`)
  console.log(`first search after loading: ${(await retrieve()).toFixed(1)} ms`)
  for (let n = 0; n < 20; n++) await retrieve()
  const times: number[] = []
  const before = readProcess(server).cpuTicks
  for (let n = 0; n < questions; n++) times.push(await retrieve())
  const cpu = ((readProcess(server).cpuTicks - before) * 10) / questions
  times.sort((a, b) => a - b)
  const at = (share: number) => `${(times[Math.floor(share * times.length)] ?? 0).toFixed(1)} ms`
  console.log(
    `${questions} retrievals: p50 ${at(0.5)}, p95 ${at(0.95)}, ${cpu.toFixed(1)} ms of CPU each, load ${loadavg()[0]}`,
  )
} finally {
  server.child.removeAllListeners('exit')
  server.child.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function retrieve(): Promise<number> {
  const started = performance.now()
  await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: question(), limit: 10 })
  return performance.now() - started
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

// The longest time that the event loop of a server is blocked, for each operation that has much to do: npm run bench -- --blocking
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fillBlockingStore, subject } from './blocking-store.ts'
import { blockMsMax, type LoopReport } from './loop-watch.ts'
import { benchKey } from './servers.ts'
import { createZipfWords } from './zipf-words.ts'

const host = '/v1/host/colophon'
const operatorKey = 'bench-operator-bench-operator'
/** An operation that takes longer is left to finish by itself, and the table says so. */
const operationMsMax = 120_000

export type BlockingLine = LoopReport & {
  readonly operation: string
  readonly seconds: number
  readonly isCutOff: boolean
  readonly verdict: 'ok' | 'OVER'
}

type Send = (method: string, path: string, body?: unknown, key?: string) => Promise<Response>
type Operation = (send: Send) => Promise<unknown>

const words = createZipfWords(12)
const times = async (count: number, work: (at: number) => Promise<unknown>) => {
  for (let at = 0; at < count; at++) await work(at)
}

async function jobDone(send: Send, answer: Promise<Response>): Promise<void> {
  const { jobId } = (await (await answer).json()) as { jobId: string }
  for (;;) {
    const { status } = (await (await send('GET', `${host}/jobs/${jobId}`)).json()) as { status: string }
    if (!['queued', 'leased', 'running', 'retrying'].includes(status)) return
    await delay(50)
  }
}

const drafts = (count: number, length: number) =>
  Array.from({ length: count }, () => ({ content: words.sentence(length).slice(0, 65_000), tags: ['a'] }))

async function makeTenant(send: Send, id: string): Promise<string> {
  const made = await (await send('POST', `${host}/tenants`, { id }, operatorKey)).json()
  return (made as { key: { key: string } }).key.key
}

const ref = (name: string) => `${host}/memory/${encodeURIComponent(name)}`
const large = ref('large')

const operations: Readonly<Record<string, Operation>> = {
  nothing: () => delay(2_000),
  'search: rare words': (send) =>
    times(20, async () => (await send('POST', `${large}/search`, { query: words.rareWords() })).text()),
  'search: the commonest words': (send) =>
    times(20, async () => (await send('POST', `${large}/search`, { query: words.commonest() })).text()),
  'search: letters without spaces': (send) =>
    times(20, async (at) => {
      const query = ['haupt', "a'b'", 'schule', 'İ'][at % 4]?.repeat(4_000).slice(0, 4_000)
      return (await send('POST', `${at < 10 ? large : ref('none')}/search`, { query })).text()
    }),
  'search: excerpts of entries of 64 KB': async (send) => {
    await (await send('POST', `${ref('excerpts')}/entries:batch`, { entries: drafts(119, 14_000) })).text()
    const body = { query: words.commonest(), limit: 50, highlights: true, explain: true }
    await times(5, async () => (await send('POST', `${ref('excerpts')}/search`, body)).text())
  },
  'list of 500, page by page': async (send) => {
    let cursor = ''
    await times(40, async () => {
      const answer = (await (await send('GET', `${large}/entries?limit=500${cursor}`)).json()) as { cursor?: string }
      cursor = answer.cursor ? `&cursor=${encodeURIComponent(answer.cursor)}` : ''
    })
  },
  'list by a tag that nothing has': async (send) => (await send('GET', `${large}/entries?tag=none&limit=50`)).text(),
  'list of a ref whose entries have expired': async (send) =>
    (await send('GET', `${ref('expiring')}/entries?limit=50`)).text(),
  'audit records, page by page': async (send) => {
    let cursor = ''
    await times(40, async () => {
      const answer = await send('GET', `${host}/audit?limit=500${cursor}`)
      const page = (await answer.json()) as { cursor?: string }
      cursor = page.cursor ? `&cursor=${page.cursor}` : ''
    })
  },
  'changes from the beginning': async (send) => {
    const reader = (await send('GET', `${host}/changes?after=0`)).body?.getReader()
    const until = Date.now() + 5_000
    while (Date.now() < until) await reader?.read()
    await reader?.cancel()
  },
  'list of refs': (send) => times(3, async () => (await send('GET', `${host}/memory?limit=500`)).text()),
  stats: (send) => times(3, async () => (await send('GET', `${host}/stats`)).text()),
  metrics: (send) => times(3, async () => (await send('GET', '/metrics')).text()),
  'batch of 1,000 entries of 7 KB': (send) =>
    times(5, async () =>
      (await send('POST', `${ref('batches')}/entries:batch`, { entries: drafts(1_000, 1_200) })).text(),
    ),
  'batch of 119 entries of 64 KB': (send) =>
    times(5, async () =>
      (await send('POST', `${ref('batches')}/entries:batch`, { entries: drafts(119, 14_000) })).text(),
    ),
  'indexing of 20,000 entries': async (send) => {
    await times(20, async () =>
      (await send('POST', `${ref('indexed')}/entries:batch`, { entries: drafts(1_000, 40) })).text(),
    )
    await delay(5_000)
  },
  'verify the chain': async (send) => (await send('GET', '/v1/audit/verify')).text(),
  'verify with contents': async (send) => (await send('GET', '/v1/audit/verify?contents=true')).text(),
  'export of the tenant': async (send) => {
    const answer = await send('GET', `${host}/export`)
    for await (const _ of answer.body ?? []);
  },
  'import of 12,000 entries': async (send) => {
    const [from, to] = [await makeTenant(send, 'from'), await makeTenant(send, 'to')]
    await times(20, async () =>
      (await send('POST', `${ref('notes')}/entries:batch`, { entries: drafts(600, 25) }, from)).text(),
    )
    const file = await (await send('GET', `${host}/export`, undefined, from)).text()
    await (await send('POST', `${host}/import`, file, to)).text()
  },
  'redaction of everything stored': async (send) => {
    await send('PUT', `${host}/secrets/one`, { value: 'w1ao w2ao w3ao never said' })
    await jobDone(send, send('POST', `${host}/redactions`, {}))
  },
  'compaction of a ref': (send) =>
    jobDone(send, send('POST', `${host}/compactions`, { memoryRef: 'old', minAgeDays: 0 })),
  'sweep of expired entries': (send) => jobDone(send, send('POST', `${host}/schedules/expiry-sweep:run`, {})),
  'pruning of history': (send) => jobDone(send, send('POST', `${host}/schedules/history-retention:run`, {})),
  'dry run of a forget': async (send) =>
    (await send('POST', `${host}/forget`, { subject, reason: 'bench', dryRun: true })).text(),
  forget: (send) => jobDone(send, send('POST', `${host}/forget`, { subject, reason: 'bench' })),
}

type Progress = { readonly only: string; readonly onLine: (line: BlockingLine) => void }

export async function benchBlocking(folder: string, entries: number, progress: Progress): Promise<BlockingLine[]> {
  const dataDir = join(folder, 'blocking')
  const began = performance.now()
  await fillBlockingStore(dataDir, entries)
  console.error(`${entries.toLocaleString('en-US')} entries stored in ${seconds(began).toFixed(0)} s`)
  return measureBlocking(dataDir, progress)
}

/** Runs every operation, one after the other, on a server whose database was filled. */
async function measureBlocking(dataDir: string, { only, onLine }: Progress): Promise<BlockingLine[]> {
  const { child, url } = await start(dataDir)
  try {
    const send = sendTo(url)
    const lines: BlockingLine[] = []
    const all: Readonly<Record<string, Operation>> = { 'after the start': () => untilIdle(child), ...operations }
    for (const [operation, work] of Object.entries(all)) {
      // Always: what the start left to be done would count for the first operation.
      if (operation !== 'after the start' && !operation.includes(only)) continue
      await report(child)
      const from = performance.now()
      const end = await Promise.race([work(send).then(() => 'done'), delay(operationMsMax, 'cut off', { ref: false })])
      const took = seconds(from)
      await delay(200)
      const loop = await report(child)
      const verdict = loop.over > 0 ? 'OVER' : 'ok'
      const line: BlockingLine = { ...loop, operation, seconds: took, isCutOff: end === 'cut off', verdict }
      lines.push(line)
      onLine(line)
    }
    return lines
  } finally {
    child.kill('SIGKILL')
  }
}

export const blockingHeader = [
  'operation',
  'took',
  'timer delay p99',
  'max',
  'longest block',
  'longest CPU',
  `over ${blockMsMax} ms`,
]

export function renderBlocking(line: BlockingLine): string[] {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
  return [
    line.operation,
    `${line.seconds.toFixed(1)} s${line.isCutOff ? ' (cut off)' : ''}`,
    ms(line.p99),
    ms(line.max),
    ms(line.longest.ms - line.longest.gcMs),
    ms(line.longestCpuMs),
    line.over === 0 ? 'none' : `${line.over}`,
  ]
}

function seconds(from: number): number {
  return (performance.now() - from) / 1_000
}

function sendTo(url: string): Send {
  return async (method, path, body, key = benchKey) => {
    const isText = typeof body === 'string'
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 300)}`)
    return response
  }
}

/** Until the event loop was not blocked for two seconds. */
async function untilIdle(child: ChildProcess): Promise<void> {
  while ((await report(child, 'peek')).quietMs < 2_000) await delay(100)
}

function report(child: ChildProcess, asked: 'report' | 'peek' = 'report'): Promise<LoopReport> {
  return new Promise((resolve) => {
    child.once('message', (received) => resolve(received as LoopReport))
    child.send(asked)
  })
}

function start(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--import', './bench/loop-watch.ts', 'src/cli/main.ts', 'serve'],
    {
      env: {
        ...process.env,
        COLOPHON_PORT: '0',
        COLOPHON_DATA_DIR: dataDir,
        COLOPHON_OPERATOR_KEY: operatorKey,
        COLOPHON_BOOTSTRAP_KEY: benchKey,
        COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
        COLOPHON_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  process.once('exit', () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      const url = /listening on (http:\S+)/.exec(chunk.toString())?.[1]
      if (url) resolve({ child, url })
    })
  })
}

// What a busy tenant costs a quiet one, and the other way round. Used by processes.ts.
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Connection, openConnections } from './http-load.ts'

export type Target = { readonly url: string; readonly key: string }
export type Work = 'put' | 'list' | 'both'
/** How long to call, and how often: `pauseMs` after each response. */
export type Pace = { readonly seconds: number; readonly pauseMs?: number }

export const path = '/v1/host/colophon/memory/bench/entries'
export const body = JSON.stringify({
  content: `Ada prefers tea. ${'She said so on Monday. '.repeat(12)}`,
  tags: ['preference'],
})

/** Connections of the busy tenant. */
const busyConnections = 64
/** The pause of a tenant that asks about once a second. */
const rarelyMs = 1_000

/** Calls that the busy tenant got an answer to, counted across threads. */
type Answered = Int32Array<SharedArrayBuffer>
let answered: Answered = new Int32Array(new SharedArrayBuffer(4))

/** The duration of each call in milliseconds, and how many calls of the busy tenant were answered meanwhile. */
type Calls = { readonly times: number[]; readonly overtaken: number[] }

/** Calls one after the other until the time has passed. */
async function askUntil(until: number, { ask }: Connection, work: Work, pauseMs: number): Promise<Calls> {
  const times: number[] = []
  const overtaken: number[] = []
  while (Date.now() < until) {
    const isPut = work === 'put' || (work === 'both' && times.length % 2 === 0)
    const from = performance.now()
    const before = Atomics.load(answered, 0)
    await (isPut ? ask('POST', path, body) : ask('GET', `${path}?limit=50`))
    times.push(performance.now() - from)
    overtaken.push(Atomics.load(answered, 0) - before)
    if (isMainThread) Atomics.add(answered, 0, 1)
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return { times, overtaken }
}

/** One connection for each target. */
export async function measure(targets: readonly Target[], work: Work, pace: Pace): Promise<Calls> {
  const opened = await Promise.all(targets.map(({ url, key }) => openConnections(url, 1, key)))
  const until = Date.now() + pace.seconds * 1_000
  const calls = await Promise.all(
    opened.flatMap(({ connections }) => connections.map((one) => askUntil(until, one, work, pace.pauseMs ?? 0))),
  )
  for (const { close } of opened) close()
  return { times: calls.flatMap(({ times }) => times), overtaken: calls.flatMap(({ overtaken }) => overtaken) }
}

type Asked = { readonly target: Target; readonly work: Work; readonly pace: Pace; readonly answered: Answered }

/** One thread for the quiet tenant, so that its measurement does not wait behind the load. It starts once: starting takes long beside a load. */
let thread: Worker | null = null

function measureApart(target: Target, work: Work, pace: Pace): Promise<Calls> {
  thread ??= new Worker(new URL(import.meta.url))
  thread.unref()
  const measured = new Promise<Calls>((resolve) => thread?.once('message', resolve))
  thread.postMessage({ target, work, pace, answered } satisfies Asked)
  return measured
}

export const at = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
export const median = (values: readonly number[]) => at(values, 0.5)
export const ms = (value: number) => `${value.toFixed(1)} ms`

export type QuietScene = {
  /** The processes that the connections of the busy tenant are spread over; the quiet tenant uses the first. */
  readonly urls: readonly string[]
  readonly busyKey: string
  readonly quietKey: string
  /** A server that does nothing. */
  readonly idleUrl: string
}

/** The durations of the quiet tenant's calls, and the busy tenant's calls a second in each round. */
export function newQuietTally() {
  const quiet = { alone: [] as number[], beside: [] as number[], control: [] as number[], overtaken: [] as number[] }
  const busy = { alone: [] as number[], beside: [] as number[], besideRare: [] as number[], control: [] as number[] }
  return { quiet, busy }
}

/** One round: the quiet tenant alone; the busy one alone; both; the busy one beside one that asks once a second; the control. */
export async function quietRound(
  { urls, busyKey, quietKey, idleUrl }: QuietScene,
  seconds: number,
  { quiet, busy }: ReturnType<typeof newQuietTally>,
): Promise<void> {
  const target = { url: urls[0] ?? '', key: quietKey }
  const spread = (over: readonly string[]) =>
    Array.from({ length: busyConnections }, (_, n): Target => ({ key: busyKey, url: over[n % over.length] ?? '' }))
  const load = async (over: readonly string[], rates: number[]) => {
    rates.push((await measure(spread(over), 'both', { seconds })).times.length / seconds)
  }
  const ask = async (into: number[], pauseMs = 0) => {
    const { times, overtaken } = await measureApart(target, 'both', { seconds, pauseMs })
    into.push(...times)
    if (into === quiet.beside) quiet.overtaken.push(...overtaken)
  }
  await ask(quiet.alone)
  await load(urls, busy.alone)
  await Promise.all([ask(quiet.beside), load(urls, busy.beside)])
  await Promise.all([ask([], rarelyMs), load(urls, busy.besideRare)])
  await Promise.all([ask(quiet.control), load([idleUrl], busy.control)])
}

/** What the rounds say, in lines. */
export function quietReport({ quiet, busy }: ReturnType<typeof newQuietTally>): string[] {
  const times = (name: keyof typeof quiet) => {
    const ratio = (share: number) => (at(quiet[name], share) / at(quiet.alone, share)).toFixed(2)
    const p = (share: number) => `${ms(at(quiet[name], share))}${name === 'alone' ? '' : ` (${ratio(share)} ×)`}`
    return `p50 ${p(0.5)}, p99 ${p(0.99)}`
  }
  const rate = (name: keyof typeof busy) => `${median(busy[name]).toFixed(0)} a second`
  const kept = (name: keyof typeof busy) =>
    `${rate(name)} (${median(busy[name].map((value, round) => value / (busy.alone[round] ?? Number.NaN))).toFixed(2)} ×)`
  const overtaken = (share: number) => at(quiet.overtaken, share)
  return [
    `  quiet alone: ${times('alone')}`,
    `  quiet beside a tenant with ${busyConnections} connections: ${times('beside')}; calls of the busy one that were answered meanwhile: p50 ${overtaken(0.5)}, p99 ${overtaken(0.99)}`,
    `  quiet beside such connections to a server that does nothing (${rate('control')}): ${times('control')}`,
    `  busy alone: ${rate('alone')}; beside the quiet one: ${kept('beside')}; beside one that asks once a second: ${kept('besideRare')}`,
  ]
}

parentPort?.on('message', async ({ target, work, pace, answered: shared }: Asked) => {
  answered = shared
  parentPort?.postMessage(await measure([target], work, pace))
})

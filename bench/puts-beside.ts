// The latency of puts beside a long operation of the same process: what compaction.ts, consolidation.ts, distillation.ts and long-passes.ts measure.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import type { Tenant } from '../src/app/tenant.ts'
import { composeEngine, openStorage } from '../src/open.ts'

/** The ref that the long operation works on. */
export const longRef = 'long'
const batchSize = 1_000

export type PutsBeside<T> = {
  readonly entries: number
  readonly writers: number
  readonly quietMs: number
  /** The nth entry of the long ref; by default each is unique. */
  readonly draftOf?: (n: number) => Draft
  readonly work: (tenant: Tenant) => Promise<T>
  /** What the operation did, for the report. */
  readonly report: (result: T) => string
}

type Draft = { readonly content: string; readonly tags: string[] }

/** About as long as notes of agents, each unique. */
export function uniqueDraft(n: number): Draft {
  const content = [
    `Customer ${n} asked about invoice ${n * 7} on 2026-0${(n % 9) + 1}-1${n % 10}.`,
    `They prefer to be called in the ${['morning', 'evening', 'afternoon'][n % 3]}.`,
    'The conversation was friendly, and the matter was settled at once.',
  ].join(' ')
  return { content, tags: ['call'] }
}

/** Durations of puts in milliseconds, in order. */
type Times = readonly number[]

type Measured<T> = {
  readonly result: T
  readonly seconds: number
  readonly quiet: Times
  readonly during: Times
  readonly loopDelayMs: number
}

/** Times puts on an idle process, and again while the same process works on a ref of many entries. */
async function measurePutsBeside<T>(options: PutsBeside<T>): Promise<Measured<T>> {
  const { entries, writers, quietMs, draftOf = uniqueDraft, work } = options
  const folder = mkdtempSync(join(tmpdir(), 'colophon-puts-beside-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const storage = await openStorage({ path: join(folder, 'bench.db') }, Date.now)
  const { engine, close } = composeEngine(storage, nodeSystem(), 'bench', null)
  const tenant = engine.tenant('bench')
  for (let done = 0; done < entries; done += batchSize) {
    const drafts = Array.from({ length: Math.min(batchSize, entries - done) }, (_, index) => draftOf(done + index))
    await tenant.putMany(longRef, drafts)
  }
  const puts = (until: Promise<unknown>) => timePuts(tenant, writers, until)
  await puts(wait(quietMs / 5))
  const before = await puts(wait(quietMs))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const began = performance.now()
  const working = work(tenant)
  const during = await puts(working)
  const seconds = (performance.now() - began) / 1_000
  delay.disable()
  const after = await puts(wait(quietMs))
  const result = await working
  await close()
  rmSync(folder, { recursive: true, force: true })
  return {
    ...{ result, seconds, during, loopDelayMs: delay.max / 1e6 },
    quiet: [...before, ...after].sort((one, other) => one - other),
  }
}

/** The p99 of puts during the operation beside the quiet one. */
export async function ratioOfPutsBeside<T>(options: PutsBeside<T>): Promise<number> {
  return p99Ratio(await measurePutsBeside(options))
}

const p99Ratio = ({ quiet, during }: { quiet: Times; during: Times }) => share(during, 0.99) / share(quiet, 0.99)

/** Measures and prints. */
export async function benchPutsBeside<T>(options: PutsBeside<T>): Promise<void> {
  const measured = await measurePutsBeside(options)
  const { result, seconds, quiet, during, loopDelayMs } = measured
  console.log(`${options.report(result)} in ${seconds.toFixed(1)} s, ${options.writers} writers beside it`)
  console.log(`puts, quiet:   ${shown(quiet)} (${quiet.length} puts)`)
  console.log(`puts, during:  ${shown(during)} (${during.length} puts)`)
  console.log(`p99 during / quiet: ${p99Ratio(measured).toFixed(2)}`)
  console.log(`longest delay of the event loop: ${loopDelayMs.toFixed(1)} ms`)
  console.log(`memory: ${Math.round(process.memoryUsage.rss() / 1_048_576)} MiB resident`)
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Every writer puts one entry after the other until the end; returns the duration of each put in milliseconds. */
async function timePuts(tenant: Tenant, writers: number, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  // A failed operation is reported by its own promise.
  const end = () => (isOver = true)
  void until.then(end, end)
  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const began = performance.now()
      await tenant.put(`writer-${writer}`, { content: `note ${n} of writer ${writer}`, tags: ['note'] })
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return times.sort((a, b) => a - b)
}

const share = (times: readonly number[], part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
const shown = (times: readonly number[]) =>
  [0.5, 0.99, 0.999].map((part) => `p${part * 100} ${share(times, part).toFixed(2)} ms`).join(', ')

// The latency of puts during a distillation: node bench/distillation.ts [entries] [writers]
// Puts are timed on an idle process, and again while the same process distills a ref of many entries, time and again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { distillRef } from '../src/app/distillation/distill-ref.ts'
import { limits } from '../src/core/limits.ts'
import { composeEngine, openStorage } from '../src/open.ts'

const [entries = 10_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)
const memoryRef = 'long'
const batchSize = 1_000
/** The target: p99 of puts during a distillation, in quiet ones. */
const ratioMax = 3

const folder = mkdtempSync(join(tmpdir(), 'colophon-distillation-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const storage = await openStorage({ path: join(folder, 'bench.db') }, Date.now)
const { engine, close } = composeEngine(storage, nodeSystem(), 'bench', null)
const memory = engine.tenant('bench')

for (let done = 0; done < entries; done += batchSize) {
  const drafts = Array.from({ length: Math.min(batchSize, entries - done) }, (_, index) => draftOf(done + index))
  await memory.putMany(memoryRef, drafts)
}

/** About as long as notes of agents, each unique. */
function draftOf(n: number) {
  const content = [
    `Customer ${n} asked about invoice ${n * 7} on 2026-0${(n % 9) + 1}-1${n % 10}.`,
    `They prefer to be called in the ${['morning', 'evening', 'afternoon'][n % 3]}.`,
    'The conversation was friendly, and the matter was settled at once.',
  ].join(' ')
  return { content, tags: ['call'] }
}

/** Every writer puts one entry after the other until the end; returns the duration of each put in milliseconds. */
async function timePuts(until: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  void until.finally(() => (isOver = true))
  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const began = performance.now()
      await memory.put(`writer-${writer}`, { content: `note ${n} of writer ${writer}`, tags: ['note'] })
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return times.sort((a, b) => a - b)
}

const share = (times: readonly number[], part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
const shown = (times: readonly number[]) =>
  [0.5, 0.99, 0.999].map((part) => `p${part * 100} ${share(times, part).toFixed(2)} ms`).join(', ')

/** Another budget each time, so that an archive is made each time. */
async function distillFor(ms: number): Promise<number> {
  const until = performance.now() + ms
  let made = 0
  while (made === 0 || performance.now() < until) {
    const request = {
      distillationId: engine.system.newId('dst'),
      memoryRef,
      tokenBudget: limits.distillationTokenBudgetMax - made,
      actor: 'bench',
      signal: new AbortController().signal,
    }
    if ((await distillRef(memory, request)) === null) throw new Error('nothing was distilled')
    made += 1
  }
  return made
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
await timePuts(wait(quietMs / 5))
const before = await timePuts(wait(quietMs))
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const began = performance.now()
const pass = distillFor(quietMs)
const during = await timePuts(pass)
const seconds = (performance.now() - began) / 1_000
delay.disable()
const after = await timePuts(wait(quietMs))
const quiet = [...before, ...after].sort((a, b) => a - b)
const made = await pass
const ratio = share(during, 0.99) / share(quiet, 0.99)

console.log(`${entries} entries, ${made} distillations in ${seconds.toFixed(1)} s, ${writers} writers beside them`)
console.log(`puts, quiet:   ${shown(quiet)} (${quiet.length} puts)`)
console.log(`puts, during:  ${shown(during)} (${during.length} puts)`)
console.log(`p99 during / quiet: ${ratio.toFixed(2)} (at most ${ratioMax}: ${ratio <= ratioMax ? 'yes' : 'NO'})`)
console.log(`longest turn of the event loop: ${(delay.max / 1e6).toFixed(0)} ms`)
await close()

// The latency of puts during a consolidation: node bench/consolidation.ts [entries] [writers]
// Puts are timed on an idle process, and again while the same process consolidates a ref of many entries.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { consolidateRef } from '../src/app/consolidation/consolidation-pass.ts'
import { composeEngine, openStorage } from '../src/open.ts'

const [entries = 100_000, writers = 4] = process.argv.slice(2).map(Number)
const tenantId = 'bench'
const memoryRef = 'long'
const quietMs = 10_000
const batchSize = 1_000

const folder = mkdtempSync(join(tmpdir(), 'colophon-consolidation-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const storage = await openStorage({ path: join(folder, 'bench.db') }, Date.now)
const { engine, close } = composeEngine(storage, nodeSystem(), 'bench', null)
const memory = engine.tenant(tenantId)

for (let done = 0; done < entries; done += batchSize) {
  const drafts = Array.from({ length: Math.min(batchSize, entries - done) }, (_, index) => draftOf(done + index))
  await memory.putMany(memoryRef, drafts)
}

/** About as long as notes of agents. Every tenth repeats an earlier one. */
function draftOf(index: number) {
  const n = index % 10 === 9 ? index - 9 : index
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
  void until.then(() => (isOver = true))
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

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
await timePuts(wait(quietMs / 5))
const before = await timePuts(wait(quietMs))
const began = performance.now()
const asked = { actor: 'bench', trigger: 'on-demand' as const, signal: new AbortController().signal }
const loop = monitorEventLoopDelay({ resolution: 1 })
loop.enable()
const pass = consolidateRef(engine.tenant(tenantId), memoryRef, asked)
const during = await timePuts(pass)
loop.disable()
const seconds = (performance.now() - began) / 1_000
const after = await timePuts(wait(quietMs))
const { inputCount, outputCount } = await pass
const quiet = [...before, ...after].sort((a, b) => a - b)

console.log(`${inputCount} entries became ${outputCount} in ${seconds.toFixed(1)} s, ${writers} writers beside it`)
console.log(`puts, quiet:   ${shown(quiet)} (${quiet.length} puts)`)
console.log(`puts, during:  ${shown(during)} (${during.length} puts)`)
console.log(`p99 during / quiet: ${(share(during, 0.99) / share(quiet, 0.99)).toFixed(2)}`)
console.log(`longest delay of the event loop: ${(loop.max / 1e6).toFixed(1)} ms`)
console.log(`memory: ${Math.round(process.memoryUsage.rss() / 1_048_576)} MiB resident`)
await close()

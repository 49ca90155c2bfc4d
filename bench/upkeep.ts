// The latency of puts during maintenance: node bench/upkeep.ts [entries]
// Sequential puts on SQLite, first on an idle process, then while a sweep and a cut of history run in the same process.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { pruneHistory } from '../src/app/retention/prune-history.ts'
import { sweepExpired } from '../src/app/retention/sweep-expired.ts'
import { composeEngine } from '../src/open.ts'

const dayMs = 24 * 60 * 60 * 1_000
const entries = Number(process.argv[2] ?? 100_000)
const quietPuts = 5_000
const tenantId = 'bench'

const folder = mkdtempSync(join(tmpdir(), 'colophon-upkeep-'))
const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
const storage = openSqlite({ path: join(folder, 'colophon.db'), now: () => clock.now })
const { engine, close } = composeEngine(
  storage,
  nodeSystem(() => clock.now),
  'bench',
  null,
)
const memory = engine.tenant(tenantId)
const content =
  'Ada prefers tea over coffee, works from Berlin on Mondays and keeps her notes in one long file. '.repeat(3)

async function fill(): Promise<void> {
  const expiresAt = new Date(clock.now + dayMs).toISOString()
  const drafts = Array.from({ length: 1_000 }, () => ({ content, tags: ['note', 'bench'], expiresAt }))
  for (let count = 0; count < entries; count += drafts.length) await memory.putMany('notes', drafts)
}

/** Puts until it is stopped; returns the duration of each in milliseconds. */
async function putWhile(goesOn: (puts: number) => boolean): Promise<number[]> {
  const took: number[] = []
  while (goesOn(took.length)) {
    const began = performance.now()
    await memory.put('live', { content, tags: ['note'] })
    took.push(performance.now() - began)
  }
  return took.sort((a, b) => a - b)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function show(name: string, took: readonly number[], quiet: readonly number[]): void {
  const [p50, p99, worst] = [at(took, 0.5), at(took, 0.99), at(took, 1)]
  const ratio = p99 / at(quiet, 0.99)
  console.log(
    `${name}: ${took.length} puts, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms (${ratio.toFixed(2)} x quiet), longest ${worst.toFixed(1)} ms`,
  )
}

async function putDuring<T>(work: Promise<T>): Promise<{ took: number[]; result: T; seconds: number }> {
  const began = performance.now()
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  const took = await putWhile(() => !isOver)
  return { took, result: await done, seconds: (performance.now() - began) / 1_000 }
}

try {
  await fill()
  const signal = new AbortController().signal
  await putWhile((puts) => puts < 500)
  const quiet = await putWhile((puts) => puts < quietPuts)
  show('quiet', quiet, quiet)
  clock.now += 2 * dayMs
  const sweep = await putDuring(sweepExpired(engine.tenant(tenantId), { signal }))
  show(`sweep of ${sweep.result.expired} expired entries in ${sweep.seconds.toFixed(0)} s`, sweep.took, quiet)
  clock.now += 100 * dayMs
  const prune = await putDuring(pruneHistory(engine.tenant(tenantId), { signal }))
  show(`cut of ${prune.result.versions} versions in ${prune.seconds.toFixed(0)} s`, prune.took, quiet)
} finally {
  await close()
  rmSync(folder, { recursive: true, force: true })
}

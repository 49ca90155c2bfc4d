// The cost of the search index for writers, with and without it in turn: node bench/index-cost.ts [PUTS] [ROUNDS] [--postgres]
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import pg from 'pg'
import { limits } from '../src/core/limits.ts'
import { openColophon } from '../src/index.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { createDrafts, memoryRef } from './entries.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean', default: false } },
})
const [puts = 8_000, rounds = 5] = positionals.map(Number)
const callers = 32
const indexedFrom = limits.searchUnindexedRows

type Cost = { readonly ms: number; readonly cpuMs: number }

const postgres = values.postgres ? await startPostgres() : null
const folder = mkdtempSync(join(tmpdir(), 'colophon-index-'))
const drafts = createDrafts(5)
try {
  for (const work of ['put, 32 at once', 'batches of 100'] as const) {
    const ratios: { time: number; cpu: number }[] = []
    for (let round = 0; round <= rounds; round++) {
      const isFirst = round % 2 === 0
      const one = await cost(work, isFirst)
      const other = await cost(work, !isFirst)
      const [indexed, bare] = isFirst ? [one, other] : [other, one]
      // The first round warms up.
      if (round > 0) ratios.push({ time: indexed.ms / bare.ms, cpu: indexed.cpuMs / bare.cpuMs })
    }
    const median = (values: number[]) => (values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(2)
    const shown = `time × ${median(ratios.map(({ time }) => time))}, CPU × ${median(ratios.map(({ cpu }) => cpu))}`
    console.log(`${postgres ? 'PostgreSQL' : 'SQLite'}, ${work}: with the index ${shown}, load ${loadavg()[0]}`)
  }
} finally {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** Until everything is stored and, where it is, indexed. */
async function cost(work: string, isIndexed: boolean): Promise<Cost> {
  const tenant = `tenant-${crypto.randomUUID()}`
  // Without the index: this many rows never wait.
  Object.assign(limits, { searchUnindexedRows: isIndexed ? indexedFrom : Number.POSITIVE_INFINITY })
  const where = postgres ? { databaseUrl: postgres.url } : { path: join(folder, `${tenant}.db`) }
  const colophon = await openColophon(where)
  const memory = colophon.memory(tenant)
  await memory.put(memoryRef, { content: 'the first' })
  const index = await watch(where, tenant)
  const texts = drafts(puts)
  const began = performance.now()
  const before = process.cpuUsage()
  if (work === 'put, 32 at once') {
    const caller = async () => {
      for (let draft = texts.pop(); draft; draft = texts.pop()) await memory.put(memoryRef, draft)
    }
    await Promise.all(Array.from({ length: callers }, caller))
  } else {
    while (texts.length > 0) await memory.putMany(memoryRef, texts.splice(-100))
  }
  while (isIndexed && (await index.waiting()) >= indexedFrom) await delay(20)
  const { user, system } = process.cpuUsage(before)
  const ms = performance.now() - began
  await index.end()
  await colophon.close()
  return { ms, cpuMs: (user + system) / 1_000 }
}

type Watch = { readonly waiting: () => Promise<number>; readonly end: () => Promise<void> }

/** How many rows wait for the index, over an open connection: opening one would cost more than what is measured. */
async function watch(where: { path: string } | { databaseUrl: string }, tenant: string): Promise<Watch> {
  if ('path' in where) {
    const db = new Database(where.path, { readonly: true })
    const rows = db.prepare('select sum(newest - indexed) from search_scope where tenant_id = ?').pluck()
    return { waiting: async () => rows.get(tenant) as number, end: async () => void db.close() }
  }
  const client = new pg.Client({ connectionString: where.databaseUrl })
  await client.connect()
  const count = `
    select sum(s.newest - coalesce(p.indexed, 0)) as rows
      from search_scope s
      left join search_progress p using (tenant_id, memory_ref)
     where s.tenant_id = $1`
  const waiting = async () => Number((await client.query<{ rows: string }>(count, [tenant])).rows[0]?.rows)
  return { waiting, end: () => client.end() }
}

// The constants of docs/SCALE.md that docs/PERFORMANCE.md does not have, on both databases; writes bench/capacity.json:
// node bench/capacity.ts [ENTRIES]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { verifyContents } from '../src/app/verify/verify-contents.ts'
import { type Colophon, composeEngine, type OpenOptions, openColophon, openStorage } from '../src/open.ts'
import { backUp } from '../src/operate/backup.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { createDrafts } from './entries.ts'
import { indexBytesOfPostgres, indexBytesOfSqlite, rowsOf, tablesOfPostgres, tablesOfSqlite } from './entry-bytes.ts'
import { describeMachine } from './machine.ts'
import { type CapacityFigures, capacityFile, type DatabaseFigures } from './scale.ts'

const count = Number(process.argv[2] ?? 50_000)
const refs = 100
const atOnce = 32
const calls = 4_000
const drafts = createDrafts(1)

type Sizes = {
  tables(): Promise<ReadonlyMap<string, number>>
  indexBytes(): Promise<number>
  backUp(): Promise<void>
  analyze(): Promise<unknown>
}

/** Writes, closes (which waits for the search index), and measures reading, writing, verification and backup after that. */
async function measure(name: string, options: OpenOptions, sizes: Sizes): Promise<DatabaseFigures> {
  const empty = total(await filled(options, 0, sizes))
  const emptyIndexes = await sizes.indexBytes()
  const full = await filled(options, count, sizes)
  const bytes = total(full)
  const indexBytes = await sizes.indexBytes()
  await sizes.analyze()
  const backupMs = await timed(() => sizes.backUp())
  const colophon = await openColophon(options)
  const memory = colophon.memory('acme')
  const verifyMs = await timed(async () => {
    const { ok } = await memory.verify({ contents: true })
    if (!ok) throw new Error('The audit does not verify.')
  })
  const againMs = await timeOfFurtherRound(options, verifyMs)
  const { entries } = await memory.list('ref-0', { limit: 50 })
  const rate = async (work: (n: number) => Promise<unknown>) => {
    let next = 0
    const worker = async () => {
      while (next < calls) await work(next++)
    }
    const ms = await timed(() => Promise.all(Array.from({ length: atOnce }, worker)))
    return Math.round((calls * 1_000) / ms)
  }
  const figures: DatabaseFigures = {
    indexBytesPerEntry: Math.round((indexBytes - emptyIndexes) / count),
    bytesPerEntryInBatches: Math.round((bytes - empty) / count),
    putsPerSecondOneTenant: await rate((n) => memory.putMany(`ref-${n % refs}`, drafts(1))),
    putsPerSecondManyTenants: await rate((n) => colophon.memory(`tenant-${n % atOnce}`).putMany('ref', drafts(1))),
    getsPerSecond: await rate((n) => memory.get('ref-0', entries[n % entries.length]?.id ?? '')),
    listsPerSecond: await rate((n) => memory.list(`ref-${n % refs}`, { limit: 50 })),
    verifiedEntriesPerSecond: Math.round((count * 1_000) / verifyMs),
    verifiedAgainPerSecond: Math.round((count * 1_000) / againMs),
    backupBytesPerSecond: Math.round((bytes * 1_000) / backupMs),
  }
  await colophon.close()
  console.log(name, figures)
  return figures
}

async function filled(options: OpenOptions, entries: number, sizes: Sizes): Promise<ReadonlyMap<string, number>> {
  const colophon: Colophon = await openColophon(options)
  const memory = colophon.memory('acme')
  const batch = 500
  for (let n = 0; n < entries; n += batch) await memory.putMany(`ref-${(n / batch) % refs}`, drafts(batch))
  await colophon.close()
  return sizes.tables()
}

/** Verifies with as little memory as four rounds need: the rows of all tables, less than a quarter of them at a time. */
async function timeOfFurtherRound(options: OpenOptions, firstMs: number): Promise<number> {
  const rounds = 4
  const storage = await openStorage(options, Date.now)
  const { engine, close } = composeEngine(storage, nodeSystem(), 'bench', null)
  const ms = await timed(() => verifyContents(engine.tenant('acme'), Math.ceil(count / (rounds - 1))))
  await close()
  return Math.max(1, ms - firstMs) / (rounds - 1)
}

const total = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-capacity-'))
const path = join(folder, 'capacity.db')
const { date = '', commit = '', cores = '', 'load average at start': load = '' } = describeMachine(folder)
const sqlite = await measure(
  'SQLite',
  { path },
  {
    tables: async () => tablesOfSqlite(path),
    indexBytes: async () => indexBytesOfSqlite(path),
    analyze: async () => {},
    backUp: async () => void (await backUp(path, join(folder, 'backup.db'), () => {})),
  },
)
const server = await startPostgres()
const { url } = server
const postgres = await measure(
  'PostgreSQL',
  { databaseUrl: url },
  {
    tables: () => tablesOfPostgres(url),
    indexBytes: () => indexBytesOfPostgres(url),
    // As autovacuum does within a minute. Without statistics a verification takes several times as long.
    analyze: () => rowsOf(url, 'analyze'),
    // What pg_dump has the server do. The package of PostgreSQL on npm has no pg_dump.
    async backUp() {
      for (const name of (await tablesOfPostgres(url)).keys())
        await rowsOf(url, `copy "${name}" to program 'cat > /dev/null'`)
    },
  },
)
await server.stop()
rmSync(folder, { recursive: true, force: true })
const figures: CapacityFigures = { date, commit, cores, loadAverage: load, entries: count, sqlite, postgres }
writeFileSync(capacityFile, `${JSON.stringify(figures, null, 2)}\n`)

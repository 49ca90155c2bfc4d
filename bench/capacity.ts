// The constants of the capacity model in docs/OPERATIONS.md, on both databases: node bench/capacity.ts [ENTRIES]
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Colophon, type OpenOptions, openColophon } from '../src/open.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { createDrafts } from './entries.ts'
import { tablesOfPostgres, tablesOfSqlite } from './entry-bytes.ts'

const count = Number(process.argv[2] ?? 50_000)
const refs = 100
const atOnce = 32
const calls = 4_000
const drafts = createDrafts(1)

/** Writes, closes (which waits for the search index), and measures reading and writing after that. */
async function measure(
  name: string,
  options: OpenOptions,
  sizes: () => Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  const empty = await filled(options, 0, sizes)
  const full = await filled(options, count, sizes)
  const grown = [...full].map(([table, bytes]) => [table, (bytes - (empty.get(table) ?? 0)) / count] as const)
  const total = grown.reduce((sum, [, bytes]) => sum + bytes, 0)
  const largest = grown.filter(([, bytes]) => bytes > total / 50).sort((a, b) => b[1] - a[1])
  console.log(`${name}: ${total.toFixed(0)} bytes an entry`)
  for (const [table, bytes] of largest) console.log(`  ${table}: ${bytes.toFixed(0)}`)
  const colophon = await openColophon(options)
  const memory = colophon.memory('acme')
  const { entries } = await memory.list('ref-0', { limit: 50 })
  const works: Record<string, (n: number) => Promise<unknown>> = {
    'puts, 32 at once, one tenant': (n) => memory.putMany(`ref-${n % refs}`, drafts(1)),
    'puts, 32 at once, 32 tenants': (n) => colophon.memory(`tenant-${n % atOnce}`).putMany('ref', drafts(1)),
    gets: (n) => memory.get('ref-0', entries[n % entries.length]?.id ?? ''),
    'lists of 50': (n) => memory.list(`ref-${n % refs}`, { limit: 50 }),
  }
  for (const [what, work] of Object.entries(works)) {
    let next = 0
    const from = performance.now()
    const worker = async () => {
      while (next < calls) await work(next++)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    console.log(`  ${what}: ${((calls * 1_000) / (performance.now() - from)).toFixed(0)} a second`)
  }
  await colophon.close()
}

async function filled(options: OpenOptions, entries: number, sizes: () => Promise<ReadonlyMap<string, number>>) {
  const colophon: Colophon = await openColophon(options)
  const memory = colophon.memory('acme')
  const batch = 500
  for (let n = 0; n < entries; n += batch) await memory.putMany(`ref-${(n / batch) % refs}`, drafts(batch))
  await colophon.close()
  return sizes()
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-capacity-'))
const path = join(folder, 'capacity.db')
console.log(`${count} entries; load average ${loadavg()[0]?.toFixed(1)}`)
await measure('SQLite', { path }, async () => tablesOfSqlite(path))
const postgres = await startPostgres()
await measure('PostgreSQL', { databaseUrl: postgres.url }, () => tablesOfPostgres(postgres.url))
await postgres.stop()
rmSync(folder, { recursive: true, force: true })

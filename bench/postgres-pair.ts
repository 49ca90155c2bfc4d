import pg from 'pg'
import { openColophon } from '../src/index.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { actor, createDrafts, type Draft, memoryRef, toRawEntries } from './entries.ts'
import { bytesOfPostgres } from './entry-bytes.ts'
import type { Side } from './pair.ts'
import { openRawPostgres } from './raw-postgres.ts'
import type { Recorder } from './recorder.ts'
import { callers, inCallers, withDrafts, withEntries } from './sqlite-writes.ts'

const readTenant = 'readers'
const singles = 100
const tenants = Array.from({ length: callers }, (_, index) => `tenant-${index}`)
const pageEntries = 50

export const postgresWorks = [
  'postgresBytes',
  'postgresGet',
  'postgresList',
  'postgresPut',
  'postgresPutOne',
  'postgresDelete',
] as const

/** A server of its own with two databases of the same rows; both sides keep 16 connections to it. */
export async function benchPostgres(recorder: Recorder, entries: number): Promise<string | null> {
  if (!recorder.wants(...postgresWorks)) return null
  const server = await startPostgres()
  try {
    const oursUrl = await createDatabase(server.url, 'ours')
    await fill(oursUrl, 0)
    const empty = await bytesOfPostgres(oursUrl)
    const ids = await fill(oursUrl, entries)
    // Fresh tables have no statistics, and then the planner scans the whole ref for one entry. Sooner or later the server
    // analyses by itself; here it must not happen between two slices.
    await ask(oursUrl, 'vacuum analyze')
    recorder.note('postgresBytes', [((await bytesOfPostgres(oursUrl)) - empty) / entries], entries)
    const rawUrl = await createDatabase(server.url, 'raw', 'template ours')
    await using colophon = await openColophon({ databaseUrl: oursUrl, actor })
    const raw = await openRawPostgres(rawUrl)
    try {
      const memory = colophon.memory(readTenant)
      await recorder.compare('postgresGet', {
        ...{ entries, operations: 400 },
        judged: eachOf(ids, 400, (id) => memory.get(memoryRef, id)),
        reference: eachOf(ids, 400, (id) => raw.get(readTenant, id)),
      })
      await recorder.compare('postgresList', {
        ...{ entries, operations: 150 },
        judged: eachOf(ids, 150, () => memory.list(memoryRef, { limit: pageEntries })),
        reference: eachOf(ids, 150, () => raw.list(readTenant, pageEntries)),
      })
      const puts = 12 * callers
      const ours = tenants.map((tenantId) => colophon.memory(tenantId))
      await recorder.compare('postgresPut', {
        ...{ entries, operations: puts },
        judged: withDrafts(puts, (drafts) => inCallers(drafts, async (draft, i) => ours[i]?.put(memoryRef, draft))),
        reference: withEntries(puts, (rows) => inCallers(rows, (row, i) => raw.put(tenants[i] ?? '', row))),
      })
      await recorder.compare('postgresPutOne', {
        ...{ entries, operations: singles },
        judged: withDrafts(singles, async (drafts) => {
          for (const draft of drafts) await memory.put(memoryRef, draft)
        }),
        reference: withEntries(singles, async (rows) => {
          for (const row of rows) await raw.put(readTenant, row)
        }),
      })
      await recorder.compare('postgresDelete', {
        ...{ entries, operations: singles },
        judged: deletes(
          async (drafts) => (await memory.putMany(memoryRef, drafts)).entries.map(({ id }) => id),
          (id) => memory.delete(memoryRef, id),
        ),
        reference: deletes(
          async (drafts) => {
            const rows = toRawEntries(drafts)
            for (const row of rows) await raw.put(readTenant, row)
            return rows.map(({ id }) => id)
          },
          (id) => raw.delete(readTenant, id),
        ),
      })
    } finally {
      await raw.close()
    }
    await verifyRaw(rawUrl)
    return await versionOf(server.url)
  } finally {
    await server.stop()
  }
}

/** Every tenant gets its first entry here, so that no side has to make tenants while it is timed. */
async function fill(url: string, entries: number): Promise<string[]> {
  await using colophon = await openColophon({ databaseUrl: url, actor })
  const drafts = createDrafts(4)
  const ids: string[] = []
  for (const tenantId of tenants) await colophon.memory(tenantId).putMany(memoryRef, drafts(1))
  while (ids.length < entries) {
    const stored = await colophon.memory(readTenant).putMany(memoryRef, drafts(Math.min(1_000, entries - ids.length)))
    ids.push(...stored.entries.map((entry) => entry.id))
  }
  return ids
}

function eachOf(ids: readonly string[], count: number, ask: (id: string) => Promise<unknown>): Side {
  let turn = 0
  return {
    async run() {
      // A step without a common factor with the number of ids: every id is used, and adjacent ids do not follow each other.
      for (let i = 0; i < count; i++) await ask(ids[(turn++ * 7_919) % ids.length] ?? '')
    },
  }
}

/** Deletes what was stored before the slice. */
function deletes(store: (drafts: Draft[]) => Promise<string[]>, remove: (id: string) => Promise<unknown>): Side {
  const drafts = createDrafts(3)
  let ids: string[] = []
  return {
    async prepare() {
      ids = await store(drafts(singles))
    },
    async run() {
      for (const id of ids) await remove(id)
    },
  }
}

async function verifyRaw(url: string): Promise<void> {
  await using colophon = await openColophon({ databaseUrl: url })
  for (const tenantId of [tenants[0] ?? '', readTenant]) {
    const verdict = await colophon.memory(tenantId).verify({ contents: true })
    if (!verdict.ok) throw new Error(`The raw side of the benchmark wrote a wrong audit: ${JSON.stringify(verdict)}`)
  }
}

async function createDatabase(adminUrl: string, name: string, template = ''): Promise<string> {
  await ask(adminUrl, `create database ${name} ${template}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

async function versionOf(url: string): Promise<string> {
  return String((await ask(url, 'show server_version'))[0]?.server_version)
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

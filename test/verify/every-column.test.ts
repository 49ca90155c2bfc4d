import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { expectedSchema } from '../../src/adapters/postgres/schema.ts'
import { verify } from '../../src/app/verify/verify.ts'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour } from '../support/server.ts'
import { openTampered } from './stores.ts'
import { fill } from './tampered-world.ts'

after(releaseServer)

/** The tables of which a change of any column is found, unless `unverified` names it. */
const verified: Readonly<Record<string, { readonly key: string; readonly rows?: readonly string[] }>> = {
  tenant: { key: 'tenant_id' },
  tenant_clock: { key: 'tenant_id' },
  audit: { key: 'position' },
  admin_record: { key: 'kind, id' },
  assertion: { key: 'claim_id, ordinal' },
  claim: { key: 'claim_id' },
  compaction: { key: 'compaction_id' },
  compaction_source: { key: 'compaction_id, ordinal' },
  entry_version: { key: 'entry_id, version', rows: ['ended_position is null', 'ended_position is not null'] },
  fence: { key: 'forget_id, kind, value, from_sequence' },
  run: { key: 'run_id', rows: ['ended_at is not null'] },
  run_call: { key: 'run_id, ordinal' },
  run_event: { key: 'run_id, sequence' },
  source_event: { key: 'source_event_id', rows: ['erased_at is null', 'erased_at is not null'] },
}

/** The tables of which no row is compared with the audit, and why. */
const unverifiedTables: Readonly<Record<string, string>> = {
  entry_tag: 'its rows are compared with the tags of versions: see tampering.test.ts',
  entry_vector: 'computed from versions',
  idempotency: 'forgotten after a day; says what a repeated call gets, and no memory',
  job: 'work that is planned; what it does is recorded when it is done',
  job_ready: 'which tenants have work, for workers',
  key_use: 'when a key was last used changes with every request',
  log_tile: 'computed from the audit; audit verify --checkpoint computes it again',
  person_spelling: 'follows from the ids in versions and source events, as migration 18 makes it',
  schedule: 'follows from records',
  schema_migration: 'compared at each start',
  search_block: 'computed from versions',
  search_list: 'computed from versions',
  search_progress: 'computed from versions',
  search_scope: 'computed from versions',
  vector_progress: 'computed from versions',
}

/** The columns of verified tables that are not compared, and why. */
const unverified: Readonly<Record<string, string>> = {
  'compaction_source.ordinal': 'the order of the sources is recorded, not their numbers',
  'entry_version.nth where ended_position is null': 'the number of a version in its ref, for the search index',
  'entry_version.nth where ended_position is not null': 'the same',
  ...Object.fromEntries(
    ['infer', 'is_hash_private', 'job_id', 'recorded_position', 'service', 'trust'].map((name) => [
      `source_event.${name} where erased_at is not null`,
      'the salt of the digest is erased with the event, and these are no content',
    ]),
  ),
}

type Column = { readonly table: string; readonly name: string; readonly type: string }

/** Both databases have the same columns in these tables, except where PostgreSQL numbers versions. */
const columns: readonly Column[] = readFileSync(expectedSchema, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, table = '', name = '', type = ''] = /^column (\w+)\.(\w+) (\w+)/.exec(line) ?? []
    return table === '' ? [] : [{ table, name, type }]
  })

test('every table is verified, or has a reason not to be', () => {
  const tables = [...new Set(columns.map(({ table }) => table))].sort()
  assert.deepEqual(tables, [...Object.keys(verified), ...Object.keys(unverifiedTables)].sort())
})

const forged = ({ name, type }: Column, kind: 'sqlite' | 'postgres') => {
  if (type === 'text') return `coalesce(${name}, '') || 'x'`
  if (type === 'bytea') return kind === 'sqlite' ? `x'00'` : `'\\x00'::bytea`
  if (/^(infer|is_\w+)$/.test(name)) return `1 - ${name}`
  // Far enough that another row does not have the number.
  return `coalesce(${name}, 0) + 1000`
}

// What is compared is the same code for both databases. That both read every row is shown in tampering.test.ts.
for (const kind of storagesOfBehaviour) {
  describe(`${kind}: verification finds a changed value of every column`, async () => {
    const { world, execute, close } = await openTampered(kind)
    after(close)
    await fill(world)
    const isAbsent = (name: string) => kind === 'sqlite' && /\bnth\b/.test(name)
    const isFound = async () => !(await verify(world.tenant, { contents: true })).ok

    for (const [table, { key, rows = ['true'] }] of Object.entries(verified)) {
      test(table, async () => {
        const missed: string[] = []
        assert.equal(await isFound(), false)
        await execute(`create table saved_${table} as select * from ${table}`)
        for (const column of columns.filter((one) => one.table === table)) {
          if (isAbsent(column.name)) continue
          for (const where of rows) {
            // The first row that has a value; if none has one, the first of all.
            const first = `select ${key} from ${table} where tenant_id = 'acme' and ${where} order by ${column.name} is null, ${key} limit 1`
            await execute(`update ${table} set ${column.name} = ${forged(column, kind)} where (${key}) in (${first})`)
            if (!(await isFound())) missed.push(`${table}.${column.name}${where === 'true' ? '' : ` where ${where}`}`)
            await execute(`delete from ${table}; insert into ${table} select * from saved_${table}`)
          }
        }
        const known = Object.keys(unverified).filter((name) => name.startsWith(`${table}.`) && !isAbsent(name))
        assert.deepEqual(missed.sort(), known.sort())
      })
    }
  })
}

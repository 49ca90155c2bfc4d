import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { verify } from '../../src/app/verify/verify.ts'
import { releaseServer } from '../support/databases.ts'
import { allowPlanting, openTampered } from './stores.ts'
import { fill } from './tampered-world.ts'
import { tamperingsOf } from './tamperings.ts'

after(releaseServer)

/** Every table whose rows are compared, and the clock. */
const tables = [
  'tenant',
  'tenant_clock',
  'audit',
  'entry_version',
  'entry_tag',
  'source_event',
  'claim',
  'assertion',
  'admin_record',
  'fence',
  'run',
  'run_event',
  'run_call',
  'compaction',
  'compaction_source',
]

/** What `allowPlanting` changes in the schema. */
const tagTriggers = ['tag_deleted', 'tag_changed', 'tag_planted']

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`${kind}: verification finds and names a direct change to the database`, async () => {
    const { world, execute, close } = await openTampered(kind)
    after(close)
    await fill(world)
    const untouched = await verify(world.tenant, { contents: true })
    await execute(allowPlanting[kind])
    await execute(tables.map((table) => `create table saved_${table} as select * from ${table}`).join('; '))
    /** The tables that a statement writes to, as they were. */
    const restore = (sql: readonly string[]) => {
      const touched = tables.filter((table) =>
        sql.some((statement) => new RegExp(`(update|from|into) ${table} `).test(`${statement} `)),
      )
      return execute(
        touched.map((table) => `delete from ${table}; insert into ${table} select * from saved_${table}`).join('; '),
      )
    }
    const look = () => verify(world.tenant, { contents: true })

    test('nothing, before any change', async () => {
      assert.deepEqual([untouched.fault, untouched.contents?.anomalies], [undefined, []])
    })

    const tamperings = tamperingsOf(kind)
    const rounds = Math.max(...tamperings.map(({ length }) => length))
    for (let round = 0; round < rounds; round++) {
      const changes = tamperings.flatMap((list) => list[round] ?? [])
      test(changes.map(({ name }) => name).join('; '), async () => {
        const sql = changes.flatMap((change) => change.sql)
        await execute(sql.join('; '))
        try {
          const { contents } = await look()
          const anomalies = contents?.anomalies ?? []
          const missed = changes.filter(
            ({ found }) =>
              !anomalies.some(
                ({ problem, what, member }) =>
                  problem === found.problem &&
                  what === found.what &&
                  (found.member === undefined || member === found.member),
              ),
          )
          assert.deepEqual(missed, [], `not found among ${JSON.stringify(anomalies)}`)
        } finally {
          await restore(sql)
        }
      })
    }

    test('nothing, after every change was reverted', async () => {
      const left = (await look()).contents?.anomalies ?? []
      assert.deepEqual(
        left.filter(({ id = '' }) => !['entry_version.nth', ...tagTriggers].includes(id)),
        [],
      )
    })
  })
}

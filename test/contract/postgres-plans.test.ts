import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { knownStatements, tenantOfCall } from '../../src/adapters/postgres/connection.ts'
import { tenantRole } from '../../src/adapters/postgres/row-security.ts'
import { openColophon } from '../../src/index.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { openPlanner } from '../support/generic-plan.ts'

after(releaseServer)

const folder = fileURLToPath(new URL('../../src/adapters/postgres/', import.meta.url))

/** Statements that read versions by the position at which they were recorded, because that is their purpose. */
const byPosition = ['vector_recorded_after', 'recent_versions', 'stats_growth']

test('entries are looked up by their keys, also when the statistics know one position only', async () => {
  const database = await createDatabase()
  const colophon = await openColophon({ databaseUrl: database.url })
  const memory = colophon.memory('acme')
  await memory.putMany(
    'notes',
    Array.from({ length: 1_000 }, (_, i) => ({ content: `note ${i}`, tags: ['t'] })),
  )
  // So many that a scan of the table would cost more than a look-up of one of them.
  await run(
    database.url,
    `insert into tenant (tenant_id, mac_key, created_at) select 't' || n, '', 0 from generate_series(1, 2000) n`,
  )
  await run(database.url, 'analyze tenant, entry_version, entry_tag, audit, tenant_clock')
  const files = globSync(`${folder}*.ts`).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files) await import(pathToFileURL(file).href)
  // With the policies of rows in the plan, as the store has them.
  const asTenant = `${database.url}?options=${encodeURIComponent(`-c role=${tenantRole}`)}`
  const astray: string[] = []
  const scanning: string[] = []
  const planner = await openPlanner(asTenant)
  for (const { name, text } of knownStatements()) {
    const isOfEntries = text.includes('entry_version') && !byPosition.includes(name.replace('colophon_', ''))
    if (!isOfEntries && !text.includes(tenantOfCall)) continue
    const plan = await planner.planOf(text)
    if (isOfEntries && plan.includes('entry_version_by_recording')) astray.push(name)
    if (/Seq Scan on tenant\b/.test(plan)) scanning.push(name)
  }
  await planner.close()
  assert.deepEqual(astray, [])
  assert.deepEqual(scanning, [], 'the tenant of an insert is one look-up of its key')
  await colophon.close()
  await database.drop()
})

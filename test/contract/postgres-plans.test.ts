import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { knownStatements } from '../../src/adapters/postgres/connection.ts'
import { tenantRole } from '../../src/adapters/postgres/row-security.ts'
import { openColophon } from '../../src/index.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

const folder = fileURLToPath(new URL('../../src/adapters/postgres/', import.meta.url))

/** Statements that read versions by the position at which they were recorded, because that is their purpose. */
const byPosition = ['vector_recorded_after', 'recent_versions']

test('entries are looked up by their keys, also when the statistics know one position only', async () => {
  const database = await createDatabase()
  const colophon = await openColophon({ databaseUrl: database.url })
  const memory = colophon.memory('acme')
  await memory.putMany(
    'notes',
    Array.from({ length: 1_000 }, (_, i) => ({ content: `note ${i}`, tags: ['t'] })),
  )
  await run(database.url, 'analyze entry_version, entry_tag, audit, tenant_clock')
  const files = globSync(`${folder}*.ts`).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files) await import(pathToFileURL(file).href)
  // With the policies of rows in the plan, as the store has them.
  const asTenant = `${database.url}?options=${encodeURIComponent(`-c role=${tenantRole}`)}`
  const astray: string[] = []
  for (const { name, text } of knownStatements()) {
    if (!text.includes('entry_version') || byPosition.includes(name.replace('colophon_', ''))) continue
    const plan = await run(asTenant, `explain (generic_plan) ${text}`)
    if (JSON.stringify(plan).includes('entry_version_by_recording')) astray.push(name)
  }
  assert.deepEqual(astray, [])
  await colophon.close()
  await database.drop()
})

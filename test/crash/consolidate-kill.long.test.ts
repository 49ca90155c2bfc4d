import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OpenOptions } from '../../src/open.ts'
import { endChildren } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { dieAt } from './consolidate-kill.ts'

after(endChildren)
after(releaseServer)

const deadline = { timeout: 240_000 }
type Place = { readonly open: OpenOptions; readonly drop: () => Promise<void> }

/** Every write until there are no more, killed just before and just after it. */
async function sweep(create: (name: string) => Promise<Place>): Promise<number> {
  for (let killAt = 1; ; killAt++) {
    for (const moment of ['before', 'after'] as const) {
      const { open, drop } = await create(`${killAt}-${moment}`)
      const wasKilled = await dieAt(killAt, moment, open)
      await drop()
      if (!wasKilled) return killAt - 1
    }
  }
}

test('SQLite: a consolidation whose process dies at any write is completed', deadline, async () => {
  const folder = createFolder()
  const writes = await sweep(async (name) => ({ open: { path: folder.file(`${name}.db`) }, drop: async () => {} }))
  folder.remove()
  // The lease of the job, two commits, the end of the job.
  assert.ok(writes >= 4, `only ${writes} writes were killed`)
})

test('PostgreSQL: a consolidation whose process dies at any write is completed', deadline, async () => {
  const writes = await sweep(async () => {
    const database = await createDatabase()
    return { open: { databaseUrl: database.url }, drop: database.drop }
  })
  assert.ok(writes >= 4, `only ${writes} writes were killed`)
})

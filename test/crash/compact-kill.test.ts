import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OpenOptions } from '../../src/open.ts'
import { endChildren } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { dieAt } from './compact-kill.ts'

after(endChildren)
after(releaseServer)

const deadline = { timeout: 240_000 }
const moments = ['before', 'after'] as const

type Place = { readonly open: OpenOptions; readonly drop: () => Promise<void> }

/** Every write until there are no more, killed just before and just after it; in `npm test` in turns. */
async function sweep(create: (name: string) => Promise<Place>): Promise<number> {
  for (let killAt = 1; ; killAt++) {
    const deaths = await Promise.all(
      (isThorough ? moments : [moments[killAt % 2] ?? 'after']).map(async (moment) => {
        const { open, drop } = await create(`${killAt}-${moment}`)
        const wasKilled = await dieAt(killAt, moment, open)
        await drop()
        return wasKilled
      }),
    )
    if (deaths.includes(false)) return killAt - 1
  }
}

test(
  'SQLite: a compaction whose process dies at any step leaves all or nothing, and is completed',
  deadline,
  async (t) => {
    const folder = createFolder()
    const writes = await sweep(async (name) => ({ open: { path: folder.file(`${name}.db`) }, drop: async () => {} }))
    folder.remove()
    // The lease of the job, three compactions, the end of the job.
    assert.ok(writes >= 5, `only ${writes} writes were killed`)
    t.diagnostic(`${writes} writes were killed`)
  },
)

test(
  'PostgreSQL: a compaction whose process dies at any step leaves all or nothing, and is completed',
  deadline,
  async (t) => {
    const writes = await sweep(async () => {
      const database = await createDatabase()
      return { open: { databaseUrl: database.url }, drop: database.drop }
    })
    assert.ok(writes >= 5, `only ${writes} writes were killed`)
    t.diagnostic(`${writes} writes were killed`)
  },
)

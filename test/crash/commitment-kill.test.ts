import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endChildren } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { commitments } from './commitment-kill.ts'
import { workInTwo, workWithKill } from './work-with-kill.ts'

after(endChildren)
after(releaseServer)

const deadline = { timeout: 240_000 }
/** The writes that infer and fire: each is the commit after the lease of its job. The thorough form goes on until no write is left. */
const commits = [2, 4]

test('SQLite: a commitment whose process is killed at any write fires once', deadline, async (t) => {
  const folder = createFolder()
  let writes = 0
  const killed = async (killAt: number) => {
    const moments = ['before', 'after'] as const
    const deaths = moments.map((moment) =>
      workWithKill(commitments, killAt, moment, { path: folder.file(`${killAt}-${moment}.db`) }),
    )
    const isKilled = !(await Promise.all(deaths)).includes(false)
    if (isKilled) writes = killAt
    return isKilled
  }
  if (!isThorough) for (const killAt of commits) assert.ok(await killed(killAt), `write ${killAt} was not killed`)
  for (let killAt = 1; isThorough && (await killed(killAt)); ) killAt += 1
  folder.remove()
  assert.ok(writes >= 4, `only ${writes} writes were killed`)
  t.diagnostic(`the last of them was write ${writes}`)
})

test('PostgreSQL: two processes fire each commitment once', deadline, async () => {
  const database = await createDatabase()
  await workInTwo(commitments, { databaseUrl: database.url }, 5)
  await database.drop()
})

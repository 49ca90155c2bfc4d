import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endChildren } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { heartbeats } from './heartbeat-kill.ts'
import { workInTwo, workWithKill } from './work-with-kill.ts'

after(endChildren)
after(releaseServer)

const deadline = { timeout: 240_000 }
/** The commit of the tick: the write after the lease of its job. */
const tickWrite = 2

test('SQLite: a tick whose process is killed before or after its commit happens once', deadline, async () => {
  const folder = createFolder()
  const moments = ['before', 'after'] as const
  const killed = moments.map((moment) =>
    workWithKill(heartbeats, tickWrite, moment, { path: folder.file(`${moment}.db`) }),
  )
  assert.deepEqual(await Promise.all(killed), [true, true])
  folder.remove()
})

test('PostgreSQL: two processes tick each heartbeat once', deadline, async () => {
  const database = await createDatabase()
  await workInTwo(heartbeats, { databaseUrl: database.url }, 5)
  await database.drop()
})

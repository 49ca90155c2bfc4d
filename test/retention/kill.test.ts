import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { toInstant } from '../../src/core/check.ts'
import { type OpenOptions, openColophon, openStorage } from '../../src/open.ts'
import { endChildren, startChild } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { dayMs, stateAt } from './world.ts'

after(async () => {
  endChildren()
  await releaseServer()
})

type Message = { versions?: number; finished?: { versions: number; historyFrom: number } }

const tenant = 'acme'
const entriesMade = 400

async function check(open: OpenOptions): Promise<void> {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  let position = 0
  let kept = ''
  {
    await using colophon = await openColophon({ ...open, now: () => clock.now })
    const memory = colophon.memory(tenant)
    const drafts = Array.from({ length: entriesMade }, (_, number) => ({ content: `Old ${number}`, tags: ['t'] }))
    const { entries: put } = await memory.putMany('notes', drafts)
    for (const { id } of put) await memory.delete('notes', id)
    await memory.put('notes', { content: 'Kept', expiresAt: toInstant(clock.now + 999 * dayMs) })
    position = (await memory.snapshot()).position
    kept = await stateAt(memory, ['notes'], position)
  }
  clock.now += 100 * dayMs
  const start = () =>
    startChild<Message>(new URL('./prune-program.ts', import.meta.url), { open, now: clock.now, tenant })
  let kills = 0
  for (const steps of [1, 2]) {
    const child = start()
    await child.until(steps, ({ versions }) => (versions ?? 0) > 0)
    child.kill('SIGKILL')
    if ((await child.ended).signal === 'SIGKILL') kills += 1
    await using colophon = await openColophon({ ...open, now: () => clock.now })
    const memory = colophon.memory(tenant)
    assert.equal(await stateAt(memory, ['notes'], position), kept)
    await assert.rejects(memory.list('notes', { asOf: position - 1 }), /no longer retained/)
    assert.equal((await memory.verify({ contents: true })).ok, true)
  }
  assert.equal(kills, 2, 'it was killed in the middle of its work')
  const child = start()
  assert.equal((await child.ended).code, 0)
  const finished = child.messages.at(-1)?.finished
  assert.ok(
    finished && finished.versions > 0 && finished.versions < entriesMade,
    'the last one does what the others left',
  )
  const storage = await openStorage(open, () => clock.now)
  const left = await storage.scanVersions({ tenantId: tenant, after: null, limit: 1_000 })
  await storage.close()
  assert.deepEqual(
    left.map(({ content }) => content),
    ['Kept'],
  )
}

describe('a pruning pass that is killed', () => {
  test('is completed by the next one on SQLite', async () => {
    const folder = createFolder()
    await check({ path: folder.file('x.db') })
    folder.remove()
  })

  test('is completed by the next one on PostgreSQL', async () => {
    const database = await createDatabase()
    await check({ databaseUrl: database.url })
    await database.drop()
  })
})

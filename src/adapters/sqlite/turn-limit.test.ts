import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../test/support/count-turns.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { limits } from '../../core/limits.ts'
import { openSqlite } from './open.ts'
import { createTurnLimit } from './turn-limit.ts'

function workFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('reads that follow each other let other work run once their time slice is used up', async () => {
  const storage = openSqlite({ path: `${createFolder().path}/colophon.db`, now: Date.now })
  const slices = 5
  const { turns } = await countTurns(async () => {
    for (let read = 0; read < slices * 2; read++) {
      await storage.clock('acme')
      workFor(limits.workSliceMs / 2 + 1)
    }
  })
  assert.ok(turns >= slices - 1, `${turns} turns of the event loop`)
  await storage.close()
})

test('reads that wait for the next turn are done in slices too', async () => {
  const usedUp = createTurnLimit()
  const turns: number[] = []
  let turn = 0
  const timer = setInterval(() => (turn += 1), 0)
  const read = async () => {
    for (let wait = usedUp(); wait !== undefined; wait = usedUp()) await wait
    turns.push(turn)
    workFor(limits.workSliceMs / 2 + 1)
  }
  await Promise.all(Array.from({ length: 20 }, read))
  clearInterval(timer)
  const mostInOne = Math.max(...turns.map((one) => turns.filter((other) => other === one).length))
  assert.equal(turns.length, 20)
  // Two fill a slice.
  assert.ok(mostInOne <= 4, `${mostInOne} reads in one turn`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOf } from '../../../test/contract/suite/batch.ts'
import type { Batch, Committed } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'
import { GroupCommit, type Settled } from './group-commit.ts'

const origin = { kind: 'api' } as const

const batch = (tenantId: string, content = 'x') =>
  batchOf({
    tenantId,
    puts: [{ memoryRef: 'r', entryId: 'e', content, tags: [], expiresAt: null, subject: null, origin, salt: '' }],
  })

const done = (position: number): Settled => {
  const value: Committed = {
    outcome: { position, entries: [], ended: [], jobs: [], admin: [] },
    repeated: false,
    versions: [],
    runs: [],
    jobs: [],
    erased: 0,
    runsPruned: 0,
    clock: null,
  }
  return { status: 'fulfilled', value }
}

/** Groups of a synchronous store, which gather for four turns. */
function gatheringForTurns() {
  const groups: (readonly Batch[])[] = []
  const commits = new GroupCommit({
    queueOf: () => '',
    gatherTurns: 4,
    run: (batches) => {
      groups.push(batches)
      return batches.map((_, i) => done(i))
    },
  })
  return { groups, commits }
}

const sizesOf = (groups: readonly (readonly Batch[])[]) => groups.map((group) => group.length)

test('a lone write goes at once; what gathers meanwhile shares the next group', async () => {
  const groups: (readonly Batch[])[] = []
  let release = () => {}
  const commits = new GroupCommit({
    queueOf: () => '',
    run: async (batches) => {
      groups.push(batches)
      await new Promise<void>((resolve) => {
        release = resolve
        if (groups.length > 1) resolve()
      })
      return batches.map((_, i) => done(i))
    },
  })
  const first = commits.commit(batch('a'))
  await new Promise((resolve) => setImmediate(resolve))
  const rest = Array.from({ length: 5 }, () => commits.commit(batch('a')))
  release()
  await Promise.all([first, ...rest])
  assert.deepEqual(sizesOf(groups), [1, 5])
})

test('a group of a synchronous store gathers for several turns of the event loop', async () => {
  const { groups, commits } = gatheringForTurns()
  const stored: Promise<Committed>[] = []
  for (let turn = 0; turn < 8; turn++) {
    stored.push(commits.commit(batch('a')))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(stored)
  assert.deepEqual(sizesOf(groups), [4, 4])
})

test('a batch of another tenant does not wait until a busy tenant has gathered its group; equal tenants gather together', async () => {
  const { groups, commits } = gatheringForTurns()
  const inTurns = async (turns: readonly string[]) => {
    const stored: Promise<Committed>[] = []
    for (const tenants of turns) {
      for (const tenantId of tenants) stored.push(commits.commit(batch(tenantId)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(stored)
  }
  await inTurns(['aaa', 'aab', 'aaa', 'aaa', 'aaa', 'aaa'])
  assert.deepEqual(sizesOf(groups.splice(0)), [6, 12])
  await inTurns(['ab', 'ab', 'ab', 'ab'])
  assert.deepEqual(sizesOf(groups), [8])
})

test('after a long transaction other work runs before its callers', async () => {
  const order: string[] = []
  const commits = new GroupCommit({
    queueOf: () => '',
    run: (batches) => {
      setImmediate(() => order.push('other work'))
      for (const until = performance.now() + limits.workSliceMs + 1; performance.now() < until; );
      return batches.map((_, i) => done(i))
    },
  })
  await commits.commit(batch('a')).then(() => order.push('caller'))
  assert.deepEqual(order, ['other work', 'caller'])
})

test('groups are bounded, in order, and queues do not wait for each other', async () => {
  const groups: (readonly Batch[])[] = []
  const commits = new GroupCommit({
    queueOf: ({ tenantId }) => tenantId,
    run: (batches) => {
      groups.push(batches)
      return batches.map((_, i) => done(i))
    },
  })
  const count = limits.commitGroupBatchesMax + 10
  await Promise.all([...Array.from({ length: count }, () => commits.commit(batch('a'))), commits.commit(batch('b'))])
  assert.deepEqual(sizesOf(groups), [limits.commitGroupBatchesMax, 1, 10])
})

test('the text that may wait are bounded by name', async () => {
  const commits = new GroupCommit({ queueOf: () => '', run: (batches) => batches.map((_, i) => done(i)) })
  const large = 'x'.repeat(limits.commitQueueCharactersMax / 4)
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => commits.commit(batch('a', large))))
  const refused = results.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assert.equal(reason.details.limit, 'commitQueueCharactersMax')
  assert.equal((await commits.commit(batch('a', large))).outcome.position, 0)
})

test('close waits for what is under way and refuses what comes later', async () => {
  let finished = false
  const commits = new GroupCommit({
    queueOf: () => '',
    run: async (batches) => {
      await new Promise((resolve) => setImmediate(resolve))
      finished = true
      return batches.map((_, i) => done(i))
    },
  })
  const pending = commits.commit(batch('a'))
  await commits.close()
  assert.equal(finished, true)
  await pending
  await assert.rejects(commits.commit(batch('a')), { code: 'closed' })
})

test('a group is not stored in a turn of the event loop whose time others have used up', async () => {
  const groups: (readonly Batch[])[] = []
  let turns = 0
  let nextTurn = () => {}
  const commits = new GroupCommit({
    queueOf: () => '',
    run: (batches) => {
      groups.push(batches)
      return batches.map((_, i) => done(i))
    },
    waitsFor: () => {
      turns += 1
      return new Promise<void>((resolve) => {
        nextTurn = resolve
      })
    },
  })
  const first = commits.commit(batch('a'))
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([turns, groups.length], [1, 0])
  const second = commits.commit(batch('a'))
  nextTurn()
  await Promise.all([first, second])
  assert.deepEqual(sizesOf(groups), [2], 'what came meanwhile is in the same group')
  assert.equal(turns, 1, 'it waits once, however busy the next turn is')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TenantMemory } from '../../src/app/tenant.ts'
import { openColophon } from '../../src/open.ts'
import { endChildren, eventually, startChild } from '../support/child.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { acknowledgedBy, checkStored, failuresOf } from './check-stored.ts'
import { memoryRef, type WriterMessage, type WriterOptions } from './messages.ts'

after(endChildren)
after(releaseServer)

const writesPerProcess = isThorough ? 1_000 : 300
// Three of four writes meet at the same tenant, whose clock orders them.
const tenants = ['shared', 'shared', 'shared', 'other']

// Model rule: commit.visible-in-order
test('positions of two processes become visible once and in order', { timeout: 90_000 }, async (t) => {
  const database = await createDatabase()
  await using reader = await openColophon({ databaseUrl: database.url })
  const memory = reader.memory('shared')
  const finished = new AbortController()
  const followed = followUntil(memory, finished.signal)
  const watched = watchUntil(memory, finished.signal)

  const open = { databaseUrl: database.url }
  const children = ['left', 'right'].map((name) => {
    const options: WriterOptions = { open, name, tenants, writers: 8, writes: writesPerProcess }
    return startChild<WriterMessage>(new URL('./writer-program.ts', import.meta.url), options)
  })
  for (const { code, stderr } of await Promise.all(children.map((child) => child.ended))) assert.equal(code, 0, stderr)
  const messages = children.flatMap((child) => child.messages)
  assert.deepEqual(failuresOf(messages), new Set())
  await run(database.url, 'analyze')

  const { position } = await memory.snapshot()
  assert.equal(position, messages.filter((message) => message.kind === 'stored' && message.tenant === 'shared').length)
  assert.equal(position, (2 * writesPerProcess * 3) / 4)
  await eventually('the change stream has come to the end', async () => followed.positions.length >= position)
  finished.abort()
  await Promise.all([followed.done, watched.done])

  assert.deepEqual(
    followed.positions,
    Array.from({ length: position }, (_, index) => index + 1),
  )
  t.diagnostic(`${watched.pages.size} positions were read while others wrote`)
  assert.ok(watched.pages.size > 10, 'the reader saw too few positions to prove anything')
  for (const [at, ids] of watched.pages) {
    assert.deepEqual(await idsAt(memory, at), ids, `memory as of position ${at} was not the same later`)
  }
  for (const tenant of ['shared', 'other']) {
    const acknowledged = acknowledgedBy(messages, tenant)
    const stored = await checkStored(reader.memory(tenant), acknowledged)
    assert.equal(stored.length, acknowledged.length)
  }
  await reader.close()
  await database.drop()
})

/** Collects the positions that the change stream gives, from the first one on. */
function followUntil(memory: TenantMemory, signal: AbortSignal) {
  const positions: number[] = []
  const done = (async () => {
    for await (const change of memory.changes({ after: 0, signal })) positions.push(change.position)
  })()
  return { positions, done }
}

/** Takes snapshots while others write, and keeps what each position showed when it was new. */
function watchUntil(memory: TenantMemory, signal: AbortSignal) {
  const pages = new Map<number, string[]>()
  const done = (async () => {
    let last = 0
    while (!signal.aborted) {
      const { position } = await memory.snapshot()
      assert.ok(position >= last, 'the clock went back')
      last = position
      if (position > 0 && !pages.has(position)) pages.set(position, await idsAt(memory, position))
    }
  })()
  return { pages, done }
}

/** The newest entries: whatever came late would be among them. */
async function idsAt(memory: TenantMemory, position: number): Promise<string[]> {
  const { entries } = await memory.list(memoryRef, { asOf: position, limit: 200 })
  return entries.map(({ id }) => id)
}

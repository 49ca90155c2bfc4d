import assert from 'node:assert/strict'
import type { ChangeRecord } from '../../../src/app/changes/change-stream.ts'
import type { ContractTest } from './world.ts'

async function take(changes: AsyncGenerator<ChangeRecord>, count: number): Promise<ChangeRecord[]> {
  const taken: ChangeRecord[] = []
  for await (const change of changes) {
    taken.push(change)
    if (taken.length === count) break
  }
  return taken
}

/** The stream of changes: in order, resumable, content-free. */
export function changesContract(test: ContractTest): void {
  test('every change once, in order, from any position', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const { entries } = await memory.putMany('notes', [{ content: 'canary 1' }, { content: 'canary 2' }])
    const ids = entries.map((entry) => entry.id)
    await memory.revise('notes', ids[0] ?? '', { content: 'canary 3' })
    await memory.delete('notes', ids[1] ?? '')
    const at = new Date(clock.now).toISOString()
    const all = await take(memory.changes({ after: 0 }), 3)
    assert.deepEqual(all, [
      { position: 1, at, kind: 'memory.written', memoryRef: 'notes', entryIds: ids },
      { position: 2, at, kind: 'memory.revised', memoryRef: 'notes', entryIds: [ids[0]], reason: 'revised' },
      { position: 3, at, kind: 'memory.deleted', memoryRef: 'notes', entryIds: [ids[1]], reason: 'deleted' },
    ])
    assert.deepEqual(await take(memory.changes({ after: 2 }), 1), all.slice(2))
    assert.ok(!JSON.stringify(all).includes('canary'))
  })

  test('a follower sees what is written while it waits, across pages', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'before' })
    const following = take(memory.changes(), 1_200)
    // The follower must have read the newest position before anything is written, otherwise it correctly sees less.
    await memory.snapshot()
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (let i = 0; i < 12; i++)
      await Promise.all(Array.from({ length: 100 }, () => memory.put('notes', { content: 'x' })))
    const positions = (await following).map((change) => change.position)
    assert.deepEqual(
      positions,
      Array.from({ length: 1_200 }, (_, i) => i + 2),
    )
  })

  test('an abort ends the stream, and so does closing', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'x' })
    const stop = new AbortController()
    const aborted = take(memory.changes({ signal: stop.signal }), 1)
    stop.abort()
    assert.deepEqual(await aborted, [])
    // Awaited before it happens: the stream may end while the store is still closing.
    const closed = assert.rejects(take(memory.changes(), 1), { code: 'closed' })
    await memory.snapshot()
    await colophon.close()
    await closed
  })
}

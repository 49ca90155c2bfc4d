import assert from 'node:assert/strict'
import type { ContractTest } from './world.ts'

/** A run reads its snapshot plus its own writes, whatever other callers do. */
export function runViewContract(test: ContractTest): void {
  test('puts, deletes and revisions of other callers are invisible to a run', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const kept = await memory.put('notes', { content: 'kept', tags: ['t'] })
    const deleted = await memory.put('notes', { content: 'to be deleted', tags: ['t'] })
    const revised = await memory.put('notes', { content: 'to be revised', tags: ['t'] })
    const run = { snapshot: (await memory.snapshot()).position, own: [{ runId: 'run_1', beforeSequence: 10 }] }
    const before = await memory.list('notes', { run })
    await memory.delete('notes', deleted.id)
    await memory.revise('notes', revised.id, { content: 'revised', tags: ['u'] })
    const later = await memory.put('notes', { content: 'later', tags: ['t'] })
    await memory.put('notes', { content: 'of another run', tags: ['t'] }, { run: { runId: 'run_2', sequence: 0 } })
    assert.deepEqual(await memory.list('notes', { run }), before)
    assert.deepEqual((await memory.list('notes', { run, tag: 't' })).entries, [revised, deleted, kept])
    assert.deepEqual(await memory.get('notes', deleted.id, { run }), deleted)
    assert.deepEqual(await memory.get('notes', revised.id, { run }), revised)
    assert.equal(await memory.get('notes', later.id, { run }), null)
  })

  test('a run sees its own writes before its step, and its own deletes do not shrink its list', async ({
    colophon,
  }) => {
    const memory = colophon.memory('acme')
    const old = await memory.put('notes', { content: 'old', tags: ['t'] })
    const { position: snapshot } = await memory.snapshot()
    const at = (beforeSequence: number) => ({ snapshot, own: [{ runId: 'run_1', beforeSequence }] })
    await memory.put('notes', { content: 'of another caller' })
    const first = await memory.put(
      'notes',
      { content: 'own 1', tags: ['t'] },
      { run: { runId: 'run_1', sequence: 1, nodeId: 'n1', agentId: 'a1' } },
    )
    const second = await memory.put(
      'notes',
      { content: 'own 4', tags: ['u'] },
      { run: { runId: 'run_1', sequence: 4 } },
    )
    await memory.put('elsewhere', { content: 'own, other ref' }, { run: { runId: 'run_1', sequence: 5 } })
    assert.deepEqual((await memory.list('notes', { run: at(1) })).entries, [old])
    assert.deepEqual((await memory.list('notes', { run: at(2) })).entries, [first, old])
    assert.deepEqual((await memory.list('notes', { run: at(9) })).entries, [second, first, old])
    assert.deepEqual((await memory.list('notes', { run: at(9), tag: 't' })).entries, [first, old])
    assert.equal(await memory.get('notes', second.id, { run: at(4) }), null)
    assert.deepEqual(await memory.get('notes', second.id, { run: at(5) }), second)
    await memory.delete('notes', old.id)
    await memory.delete('notes', first.id)
    assert.deepEqual((await memory.list('notes', { run: at(9) })).entries, [second, first, old])
    assert.deepEqual(
      (await memory.list('notes')).entries.map((entry) => entry.content),
      ['own 4', 'of another caller'],
    )
    assert.deepEqual(first.tags, ['t', 'source:run'])
  })

  test('naming a run twice shows its writes once', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const own = await memory.put('notes', { content: 'own', tags: ['t'] }, { run: { runId: 'run_1', sequence: 1 } })
    const twice = [5, 9].map((beforeSequence) => ({ runId: 'run_1', beforeSequence }))
    for (const options of [{}, { tag: 't' }]) {
      const seen = await memory.list('notes', { run: { snapshot: 0, own: twice }, ...options })
      assert.deepEqual(seen.entries, [own])
    }
    assert.deepEqual(await memory.get('notes', own.id, { run: { snapshot: 0, own: twice } }), own)
  })

  test('writes of completed children are in the view, page by page', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const { entries: old } = await memory.putMany(
      'notes',
      Array.from({ length: 5 }, (_, i) => ({ content: `old ${i}` })),
    )
    const { position: snapshot } = await memory.snapshot()
    const written: string[] = []
    for (let i = 0; i < 6; i++) {
      await memory.put('notes', { content: `noise ${i}` })
      const entry = await memory.put(
        'notes',
        { content: `own ${i}` },
        { run: { runId: i % 2 ? 'child' : 'parent', sequence: i } },
      )
      written.push(entry.id)
    }
    const run = {
      snapshot,
      own: [
        { runId: 'parent', beforeSequence: 100 },
        { runId: 'child', beforeSequence: 100 },
      ],
    }
    const expected = [...written.toReversed(), ...old.map((entry) => entry.id).reverse()]
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await memory.list('notes', { run, limit: 3, ...(cursor ? { cursor } : {}) })
      seen.push(...page.entries.map((entry) => entry.id))
      cursor = page.cursor
    } while (cursor)
    assert.deepEqual(seen, expected)
  })
}

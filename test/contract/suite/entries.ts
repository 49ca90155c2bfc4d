import assert from 'node:assert/strict'
import { limits } from '../../../src/core/limits.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import type { ContractTest } from './world.ts'

const contents = (result: { entries: readonly { content: string }[] }) => result.entries.map((entry) => entry.content)

/** put, get, list, delete, revise and expiry: what a reader of one ref sees. */
export function entriesContract(test: ContractTest): void {
  test('an entry has only the documented members, an id and instant from the host, and reads back as it was returned', async ({
    colophon,
    clock,
  }) => {
    const memory = colophon.memory('acme')
    const expiresAt = new Date(clock.now + 60_000).toISOString()
    const entry = await memory.put('notes', { content: 'Ada prefers tea.', tags: ['preference'], expiresAt })
    assert.deepEqual(Object.keys(entry).sort(), ['content', 'createdAt', 'expiresAt', 'id', 'tags'])
    assert.match(entry.id, /^mem_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(entry.createdAt, new Date(clock.now).toISOString())
    assert.equal(entry.expiresAt, expiresAt)
    assert.deepEqual(entry.tags, ['preference', 'source:api'])
    assert.deepEqual(await memory.get('notes', entry.id), entry)
    assert.deepEqual((await memory.list('notes')).entries, [entry])
  })

  test('texts come back byte for byte', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const texts = [
      ' ',
      '\n\t\r',
      "'; drop table entry_version; --",
      '\\u0041 \\ \\\\ {"a": 1}',
      '日本語 🦊 é e\u0301 \u202e',
      '%_$1 $$',
      '\u2028\u2029\u007f',
    ]
    for (const content of texts) {
      const tag = content.replaceAll(/\p{Cf}/gu, '')
      const entry = await memory.put('texts', { content, tags: [tag] })
      assert.equal((await memory.get('texts', entry.id))?.content, content)
      assert.deepEqual(contents(await memory.list('texts', { tag })), [content])
    }
    await rejectsWith('validation_error', memory.put('texts', { content: '' }))
  })

  test('a content of exactly the limit fits, one byte more does not', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const most = 'ä'.repeat(limits.contentBytesMax / 2)
    const entry = await memory.put('large', { content: most })
    assert.equal((await memory.get('large', entry.id))?.content, most)
    await rejectsWith('validation_error', memory.put('large', { content: `${most}x` }), 'ää')
    assert.equal((await memory.list('large')).entries.length, 1)
  })

  test('list is newest first, and the last of a batch is the newest', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: '1' })
    clock.advance(5)
    await memory.putMany('notes', [{ content: '2' }, { content: '3' }])
    await memory.put('notes', { content: '4' })
    assert.deepEqual(contents(await memory.list('notes')), ['4', '3', '2', '1'])
  })

  test('a batch is all or nothing', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const before = await memory.snapshot()
    await rejectsWith(
      'validation_error',
      memory.putMany('notes', [{ content: 'good' }, { content: 'bad', expiresAt: '2020-01-01T00:00:00Z' }]),
    )
    assert.deepEqual(contents(await memory.list('notes')), [])
    assert.equal((await memory.snapshot()).position, before.position)
    const many = Array.from({ length: limits.batchEntriesMax }, (_, i) => ({ content: String(i), tags: ['t'] }))
    assert.equal((await memory.putMany('notes', many)).entries.length, limits.batchEntriesMax)
    await rejectsWith('validation_error', memory.putMany('notes', [...many, { content: 'one too many' }]))
    await rejectsWith('validation_error', memory.putMany('notes', []))
  })

  test('limit 0 is the default, more than the maximum gives the maximum and a cursor', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.putMany(
      'notes',
      Array.from({ length: 700 }, (_, i) => ({ content: String(i) })),
    )
    for (const [limit, expected] of [
      [undefined, 100],
      [0, 100],
      [3, 3],
      [500, 500],
      [501, 500],
      [1_000_000, 500],
    ] as const) {
      const page = await memory.list('notes', limit === undefined ? {} : { limit })
      assert.equal(page.entries.length, expected)
      assert.equal(page.entries[0]?.content, '699')
      assert.ok(page.cursor)
    }
  })

  test('pages have no gap, no overlap and do not shift when other callers write or delete', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.putMany(
      'notes',
      Array.from({ length: 23 }, (_, i) => ({ content: String(i), tags: [i % 2 ? 'odd' : 'even'] })),
    )
    for (const tag of [undefined, 'odd']) {
      const expected = contents(await memory.list('notes', tag ? { tag } : {}))
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await memory.list('notes', { limit: 4, ...(tag ? { tag } : {}), ...(cursor ? { cursor } : {}) })
        seen.push(...contents(page))
        cursor = page.cursor
        const newest = await memory.put('notes', { content: 'newer', tags: ['odd'] })
        const victim = (await memory.list('notes', { limit: 500 })).entries.at(-1)
        await memory.delete('notes', newest.id)
        if (victim) await memory.revise('notes', victim.id, { content: 'changed' })
      } while (cursor)
      assert.deepEqual(seen, expected)
    }
  })

  test('the tag filter is exact set membership', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'both', tags: ['red', '', 'red', 'blue', ''] })
    await memory.put('notes', { content: 'one', tags: ['Red', 'redder', 'r'] })
    assert.deepEqual(
      (await memory.list('notes', { tag: 'red' })).entries.map((entry) => entry.tags),
      [['red', 'blue', 'source:api']],
    )
    assert.deepEqual(contents(await memory.list('notes', { tag: 'source:api' })), ['one', 'both'])
    assert.deepEqual(contents(await memory.list('notes', { tag: 're' })), [])
  })

  test('an expired entry is not returned by any read from the millisecond of its expiry on', async ({
    colophon,
    clock,
  }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'short', tags: ['t'], expiresAt: new Date(clock.now + 1_000) })
    const { position } = await memory.snapshot()
    clock.advance(999)
    assert.deepEqual(contents(await memory.list('notes')), ['short'])
    clock.advance(1)
    const run = { snapshot: position, own: [] }
    assert.equal(await memory.get('notes', entry.id), null)
    assert.equal(await memory.get('notes', entry.id, { asOf: position }), null)
    assert.equal(await memory.colophon('notes', entry.id), null)
    for (const options of [{}, { tag: 't' }, { asOf: position }, { asOf: position, tag: 't' }, { run }]) {
      assert.deepEqual(contents(await memory.list('notes', options)), [])
    }
    assert.equal(await memory.delete('notes', entry.id), false)
    await rejectsWith('version_conflict', memory.revise('notes', entry.id, { content: 'again' }))
    await rejectsWith('validation_error', memory.put('notes', { content: 'late', expiresAt: new Date(clock.now) }))
  })

  test('delete returns true once, and only for an entry that exists', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'gone soon', tags: ['t'] })
    assert.equal(await memory.delete('other', entry.id), false)
    assert.equal(await memory.delete('notes', 'mem_unknown'), false)
    assert.equal(await memory.delete('notes', entry.id), true)
    assert.equal(await memory.delete('notes', entry.id), false)
    assert.equal(await memory.get('notes', entry.id), null)
    assert.deepEqual(contents(await memory.list('notes', { tag: 't' })), [])
  })

  test('memory as of a position or an instant stays what it was', async ({ colophon, clock }) => {
    const memory = colophon.memory('acme')
    const first = await memory.put('notes', { content: 'first', tags: ['t'] })
    const afterFirst = clock.now
    clock.advance(1_000)
    await memory.put('notes', { content: 'second', tags: ['t'] })
    clock.advance(1_000)
    await memory.revise('notes', first.id, { content: 'first, revised', tags: ['u'] })
    clock.advance(1_000)
    await memory.delete('notes', first.id)
    const at = async (asOf: number | Date) => contents(await memory.list('notes', { asOf }))
    assert.deepEqual(await at(0), [])
    assert.deepEqual(await at(1), ['first'])
    assert.deepEqual(await at(2), ['second', 'first'])
    assert.deepEqual(await at(3), ['second', 'first, revised'])
    assert.deepEqual(await at(4), ['second'])
    assert.deepEqual(await at(new Date(afterFirst - 1)), [])
    assert.deepEqual(await at(new Date(afterFirst)), ['first'])
    assert.deepEqual(await at(new Date(afterFirst + 1_999)), ['second', 'first'])
    assert.deepEqual(await at(new Date(clock.now + 1e9)), ['second'])
    assert.deepEqual(contents(await memory.list('notes', { asOf: 2, tag: 't' })), ['second', 'first'])
    assert.deepEqual(contents(await memory.list('notes', { asOf: 3, tag: 't' })), ['second'])
    assert.equal((await memory.get('notes', first.id, { asOf: 3 }))?.content, 'first, revised')
    assert.equal(await memory.get('notes', first.id, { asOf: 4 }), null)
  })

  test('a revision keeps id, createdAt and place, and checks the version that the caller expects', async ({
    colophon,
    clock,
  }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'old', tags: ['t'] })
    await memory.put('notes', { content: 'newer' })
    clock.advance(10_000)
    const revised = await memory.revise('notes', entry.id, { content: 'new' }, { expects: 1 })
    assert.deepEqual({ ...revised, content: 'old', tags: entry.tags }, entry)
    assert.deepEqual(contents(await memory.list('notes')), ['newer', 'new'])
    assert.equal((await memory.colophon('notes', entry.id))?.version, 2)
    await rejectsWith('version_conflict', memory.revise('notes', entry.id, { content: 'lost update' }, { expects: 1 }))
    await rejectsWith('version_conflict', memory.delete('notes', entry.id, { expects: 1 }))
    assert.equal(await memory.delete('notes', entry.id, { expects: 2 }), true)
    await rejectsWith('version_conflict', memory.delete('notes', entry.id, { expects: 2 }))
    await rejectsWith('version_conflict', memory.revise('notes', entry.id, { content: 'back' }))
    assert.equal((await memory.get('notes', entry.id, { asOf: 3 }))?.content, 'new')
  })

  test('restoring an ended entry adds a version and reopens none', async ({ colophon, storage }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'old', tags: ['t'] })
    await memory.put('notes', { content: 'newer' })
    await memory.delete('notes', entry.id)
    const revision = {
      memoryRef: 'notes',
      entryId: entry.id,
      content: 'back',
      tags: ['t'],
      origin: { kind: 'api' } as const,
      salt: 's',
    }
    await storage.commit(
      batchOf({
        tenantId: 'acme',
        kind: 'memory.revised',
        revisions: [{ ...revision, revives: true }],
        expects: [{ memoryRef: 'notes', entryId: entry.id, version: 0 }],
      }),
    )
    assert.deepEqual(contents(await memory.list('notes')), ['newer', 'back'])
    assert.deepEqual(contents(await memory.list('notes', { tag: 't' })), ['back'])
    assert.deepEqual(contents(await memory.list('notes', { asOf: 3 })), ['newer'])
    assert.deepEqual(contents(await memory.list('notes', { asOf: 2 })), ['newer', 'old'])
    assert.equal((await memory.colophon('notes', entry.id))?.version, 2)
    assert.equal((await memory.get('notes', entry.id))?.createdAt, entry.createdAt)
  })

  test('a thousand revisions and deletes do not show in the list', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const keep = await memory.put('notes', { content: 'keep', tags: ['t'] })
    const { entries } = await memory.putMany(
      'notes',
      Array.from({ length: 300 }, () => ({ content: 'churn', tags: ['t'] })),
    )
    await Promise.all(entries.map((entry) => memory.revise('notes', entry.id, { content: 'churned', tags: ['t'] })))
    await Promise.all(entries.map((entry) => memory.delete('notes', entry.id)))
    assert.deepEqual((await memory.list('notes', { limit: 1 })).entries, [keep])
    assert.deepEqual((await memory.list('notes', { limit: 1, tag: 't' })).entries, [keep])
  })
}

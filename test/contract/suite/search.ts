import assert from 'node:assert/strict'
import { fullAccess } from '../../../src/core/entries/access.ts'
import { parseQuery } from '../../../src/core/search/query.ts'
import type { FindQuery } from '../../../src/ports/search-store.ts'
import { batchOf } from './batch.ts'
import { figures, find, memoryRef, putAll, tenantId, texts, whileIndexing } from './search-calls.ts'
import type { ContractTest } from './world.ts'

/** Finding rows by their terms. Ranking is part of the core and the same for every store. */
export function searchContract(test: ContractTest): void {
  test('finds rows with any of the terms, those with rarer and with more terms first', async (world) => {
    await putAll(world, ['Ada likes tea', 'Ada likes coffee', 'Ada sleeps', 'a heron and tea', 'nothing of it'])
    await whileIndexing(world.storage, async () => {
      const found = await find(world.storage, 'ada heron tea')
      assert.deepEqual(figures(found), { entries: 5, frequencies: [3, 1, 2] })
      assert.deepEqual(texts(found), ['a heron and tea', 'Ada likes tea', 'Ada sleeps', 'Ada likes coffee'])
      assert.deepEqual(texts(await find(world.storage, 'zebra')), [])
      assert.deepEqual(texts(await find(world.storage, '')), [])
    })
  })

  test('finds rows with a related word, after those with the word itself', async (world) => {
    await putAll(world, ['Ada has a hamster', 'Ada has a pet', 'Ada has a car'])
    await whileIndexing(world.storage, async () => {
      const found = await find(world.storage, 'pet', { withRelated: true })
      assert.deepEqual(texts(found), ['Ada has a pet', 'Ada has a hamster'])
    })
  })

  test('finds other forms and compounds of a word in the language of the text, and a name by its short form', async (world) => {
    await putAll(world, [
      'Die Häuser am See gehören meiner Schwester.',
      'Die Krankenversicherung hat den Antrag abgelehnt.',
      'Robert lives in Rome.',
    ])
    await whileIndexing(world.storage, async () => {
      const options = { withRelated: true }
      assert.deepEqual(texts(await find(world.storage, 'Haus', options)), [
        'Die Häuser am See gehören meiner Schwester.',
      ])
      assert.deepEqual(texts(await find(world.storage, 'Welche Versicherung?', options)), [
        'Die Krankenversicherung hat den Antrag abgelehnt.',
      ])
      assert.deepEqual(texts(await find(world.storage, 'Bob', options)), ['Robert lives in Rome.'])
    })
    await putAll(world, ['Bob is away.'])
    await whileIndexing(world.storage, async () => {
      assert.deepEqual(texts(await find(world.storage, 'Bob', { withRelated: true })), ['Bob is away.'])
    })
  })

  test('finds the rows of an earlier position', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const [tea] = await putAll(world, ['Ada drinks tea', 'Bob drinks tea'])
    const before = await memory.snapshot()
    await memory.revise(memoryRef, tea?.id ?? '', { content: 'Ada drinks coffee' })
    await putAll(world, ['Cleo drinks tea'])
    await whileIndexing(world.storage, async () => {
      const then = await find(world.storage, 'tea', { position: before.position })
      assert.deepEqual(texts(then), ['Bob drinks tea', 'Ada drinks tea'])
      assert.deepEqual(figures(then), { entries: 2, frequencies: [2] })
      assert.deepEqual(texts(await find(world.storage, 'tea')), ['Cleo drinks tea', 'Bob drinks tea'])
      assert.deepEqual(texts(await find(world.storage, 'coffee')), ['Ada drinks coffee'])
      assert.deepEqual(texts(await find(world.storage, 'coffee', { position: before.position })), [])
      assert.deepEqual(texts(await find(world.storage, 'tea', { position: 0 })), [])
    })
  })

  test('counts and finds nothing of other tenants and refs', async (world) => {
    await putAll(world, ['tea in the morning', 'coffee at noon'])
    const search = async () => {
      const found = await find(world.storage, 'tea coffee')
      return { ...figures(found), texts: texts(found) }
    }
    const alone = await search()
    await putAll(world, ['tea tea', 'coffee and tea', 'tea'], 'other')
    for (const content of ['tea', 'coffee', 'tea and coffee'])
      await world.colophon.memory('rival').put(memoryRef, { content })
    await whileIndexing(world.storage, async () => assert.deepEqual(await search(), alone), [memoryRef, 'other'])
    await world.storage.search.index('rival', memoryRef, 100)
    assert.deepEqual(await search(), alone)
    assert.equal((await find(world.storage, 'tea', { tenantId: 'rival' })).entries, 3)
  })

  test('finds nothing that was deleted or has expired', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const [gone] = await putAll(world, ['deleted tea', 'kept tea'])
    await memory.put(memoryRef, { content: 'short-lived tea', expiresAt: '2026-01-01T00:01:00Z' })
    await memory.delete(memoryRef, gone?.id ?? '')
    await whileIndexing(world.storage, async () => {
      assert.deepEqual(texts(await find(world.storage, 'tea')), ['short-lived tea', 'kept tea'])
      const later = Date.parse('2026-01-01T00:01:00Z')
      assert.deepEqual(texts(await find(world.storage, 'tea', { now: later })), ['kept tea'])
    })
  })

  test('does not find a text by words that were removed from it', async (world) => {
    const [first] = await putAll(world, ['the password is heron', 'heron in the garden'])
    for (const isIndexed of [false, true]) {
      const [version] = await world.storage.provenance.newestVersions(tenantId, [first?.id ?? ''])
      assert.ok(version)
      const { entryId, salt, tags, version: number } = version
      const content = isIndexed ? 'the password is [REDACTED:b]' : 'the password is plover'
      await world.storage.commit(
        batchOf({
          tenantId,
          kind: 'memory.redacted',
          rewrites: [{ memoryRef, entryId, version: number, content, tags, readSalt: salt, salt: `${salt}x` }],
        }),
      )
      assert.deepEqual(texts(await find(world.storage, 'heron')), ['heron in the garden'])
      assert.deepEqual(texts(await find(world.storage, 'plover')), isIndexed ? [] : [content])
      assert.deepEqual(texts(await find(world.storage, 'password')), [content])
      await world.storage.search.index(tenantId, memoryRef, 100)
      assert.deepEqual(texts(await find(world.storage, 'password')), [content])
    }
  })

  test('finds nothing that was erased', async (world) => {
    const entries = await putAll(world, ['tea one', 'tea two', 'tea three', 'tea four'])
    await world.storage.search.index(tenantId, memoryRef, 2)
    const erase = (index: number) =>
      world.storage.commit(
        batchOf({
          tenantId,
          kind: 'memory.erased',
          erasures: [{ memoryRef, entryId: entries[index]?.id ?? '', version: 1 }],
        }),
      )
    await erase(1)
    await erase(2)
    await whileIndexing(world.storage, async () => {
      const found = await find(world.storage, 'tea two three')
      assert.deepEqual(texts(found), ['tea four', 'tea one'])
      assert.deepEqual(figures(found), { entries: 2, frequencies: [2, 0, 0] })
    })
    await erase(0)
    await erase(3)
    assert.deepEqual(figures(await find(world.storage, 'tea')), { entries: 0, frequencies: [0] })
    assert.deepEqual(await world.storage.search.unindexed({ after: null, rowsMax: 10, limit: 10 }), [])
    await putAll(world, ['tea again'])
    await whileIndexing(world.storage, async () =>
      assert.deepEqual(texts(await find(world.storage, 'tea')), ['tea again']),
    )
  })

  test('finds prefixes, phrases, and words of any script', async (world) => {
    await putAll(world, [
      'The lighthouse keeper, and a light house',
      'Zoë visited Besançon 🦩',
      '私は黒猫が好きです',
      `a'"*()^{}[]:+-~\\ NEAR AND OR NOT ${'long'.repeat(100)}`,
      'keycap #️⃣ and 1,234 birds',
    ])
    await whileIndexing(world.storage, async () => {
      const first = async (text: string) => texts(await find(world.storage, text)).map((found) => found.slice(0, 12))
      assert.deepEqual(await first('lightho*'), ['The lighthou'])
      assert.deepEqual(await first('"light house"'), ['The lighthou'])
      assert.deepEqual(await first('"house light"'), [])
      assert.deepEqual(await first('zoe'), ['Zoë visited '])
      assert.deepEqual(await first('BESANCON'), ['Zoë visited '])
      assert.deepEqual(await first('🦩'), ['Zoë visited '])
      assert.deepEqual(await first('黒猫'), ['私は黒猫が好きです'])
      assert.deepEqual(await first('猫'), ['私は黒猫が好きです'])
      assert.deepEqual(await first('1234'), ['keycap #️⃣ a'])
      assert.deepEqual(await first('long'.repeat(100)), [`a'"*()^{}[]:`])
    })
  })

  test('finds letters without spaces by their beginning, before and after they are indexed', async (world) => {
    const seeds = ['haupt', 'schule', "a'b'", 'İ', 'ing']
    const fill = (seed: string, length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)
    await putAll(world, [
      'Ada likes tea',
      ...seeds.map((seed) => fill(seed, 32_000)),
      `Die Katze und ${fill('haus', 66)}`,
    ])
    await whileIndexing(world.storage, async () => {
      for (const seed of seeds)
        for (const length of [300, 4_000])
          assert.deepEqual(texts(await find(world.storage, fill(seed, length))), [fill(seed, 32_000)], seed)
      assert.deepEqual(texts(await find(world.storage, fill('haus', 66))), [`Die Katze und ${fill('haus', 66)}`])
    })
  })

  test('finds only what is indexed if nothing else may be scanned', async (world) => {
    await putAll(world, ['green tea', 'black tea'])
    const indexed = await world.storage.search.index(tenantId, memoryRef, 1)
    const found = texts(await find(world.storage, 'tea', { unindexedMax: null }))
    // The model has no index: everything is found at once.
    assert.deepEqual(found, indexed === 0 ? ['black tea', 'green tea'] : ['green tea'])
    assert.deepEqual(texts(await find(world.storage, 'tea')), ['black tea', 'green tea'])
  })

  test('reads the newest rows of a common term, and estimates how many there are', async (world) => {
    await putAll(world, ['tea 1', 'tea 2', 'rare tea 3', 'other', 'tea 4', 'tea 5', 'tea 6'])
    await whileIndexing(world.storage, async () => {
      const found = await find(world.storage, 'tea', { postingsMax: 3 })
      assert.deepEqual(texts(found), ['tea 6', 'tea 5', 'tea 4'])
      assert.deepEqual(figures(found), { entries: 7, frequencies: [7] })
      const both = await find(world.storage, 'rare tea', { postingsMax: 2, foundMax: 2 })
      assert.deepEqual(texts(both), ['rare tea 3', 'tea 6'])
      assert.deepEqual(texts(await find(world.storage, 'tea', { examinedMax: 1 })), ['tea 6'])
    })
  })

  test('returns the entries around an entry', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const contents = ['ant', 'bee', 'cow', 'dog', 'eel', 'fox']
    const { entries, position } = await memory.putMany(
      memoryRef,
      contents.map((content) => ({ content })),
    )
    await memory.delete(memoryRef, entries[1]?.id ?? '')
    await putAll(world, ['gnu'])
    const now = world.clock.now
    await whileIndexing(world.storage, async () => {
      const rows = (await find(world.storage, 'dog ant')).rows.map(({ version }) => version)
      const search = async (at: number) =>
        (
          await world.storage.search.around({
            tenantId,
            memoryRef,
            position: at,
            now,
            access: fullAccess,
            places: rows,
            reach: 2,
          })
        ).map((rows) => rows.map(({ version, terms }) => `${version.content} ${terms.length}`))
      assert.deepEqual(await search(position + 2), [
        ['ant 1', 'cow 1', 'eel 1', 'fox 1'],
        ['cow 1', 'dog 1'],
      ])
      assert.deepEqual(await search(position), [
        ['bee 1', 'cow 1', 'eel 1', 'fox 1'],
        ['bee 1', 'cow 1'],
      ])
    })
  })

  test('reports when too many rows wait for the index', async (world) => {
    await putAll(world, ['tea 1', 'tea 2', 'tea 3'])
    await putAll(world, ['tea'], 'other')
    const { terms, phrases } = parseQuery('tea')
    const query: FindQuery = {
      tenantId,
      memoryRef,
      position: 9,
      now: 0,
      access: fullAccess,
      terms,
      phrases,
      filter: {},
      postingsMax: 9,
      examinedMax: 9,
      foundMax: 9,
      unindexedMax: 2,
    }
    const waiting = await world.storage.search.unindexed({ after: null, rowsMax: 2, limit: 10 })
    if (waiting.length === 0) return
    assert.deepEqual(waiting, [
      { tenantId, memoryRef, rows: 2 },
      { tenantId, memoryRef: 'other', rows: 1 },
    ])
    assert.deepEqual(await world.storage.search.unindexed({ after: { tenantId, memoryRef }, rowsMax: 2, limit: 1 }), [
      { tenantId, memoryRef: 'other', rows: 1 },
    ])
    assert.equal(await world.storage.search.find(query), null)
    assert.equal(await world.storage.search.index(tenantId, memoryRef, 1), 1)
    assert.deepEqual((await world.storage.search.find(query))?.unindexed, 2)
  })

  test('rows that wait for the index are listed in pages, over all tenants', async (world) => {
    const scopes = ['a', 'b', 'c'].flatMap((tenant) => ['r1', 'r2', 'r3'].map((ref) => [tenant, ref] as const))
    for (const [tenant, ref] of scopes) await world.colophon.memory(tenant).put(ref, { content: 'waits' })
    const all = await world.storage.search.unindexed({ after: null, rowsMax: 2, limit: 20 })
    if (all.length === 0) return
    assert.deepEqual(
      all,
      scopes.map(([tenantId, memoryRef]) => ({ tenantId, memoryRef, rows: 1 })),
    )
    for (const limit of [1, 2, 3, 4]) {
      const listed: (typeof all)[number][] = []
      for (let after: (typeof all)[number] | null = null; ; ) {
        const page = await world.storage.search.unindexed({ after, rowsMax: 2, limit })
        assert.ok(page.length <= limit)
        listed.push(...page)
        after = page.at(-1) ?? null
        if (after === null) break
      }
      assert.deepEqual(listed, all, `pages of ${limit}`)
    }
  })
}

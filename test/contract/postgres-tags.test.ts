import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { firstTagKey, tagKey, tagKeySql, tagPlace } from '../../src/adapters/postgres/tag-rows.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { fullAccess } from '../../src/core/entries/access.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import { everySequence } from '../../src/core/forget/fence.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer, run, type TestDatabase } from '../support/databases.ts'
import { batchOf } from './suite/batch.ts'

const tenantId = 'acme'
const memoryRef = 'notes'

/** Two tags that have the same number in the ref. */
function findCollision(): readonly [string, string] {
  const seen = new Map<string, string>()
  for (let nth = 0; ; nth++) {
    const tag = `tag-${nth}`
    const key = tagKey(tenantId, memoryRef, tag)
    const other = seen.get(key)
    if (other !== undefined) return [other, tag]
    seen.set(key, tag)
  }
}

describe('rows of tags in PostgreSQL', () => {
  let database: TestDatabase
  let storage: Storage
  let memory: ReturnType<ReturnType<typeof composeColophon>['memory']>
  before(async () => {
    database = await createDatabase()
    storage = await openPostgres({ url: database.url, now: Date.now })
    memory = composeColophon(storage, nodeSystem(), 'test').memory(tenantId)
  })
  after(async () => {
    await storage.close()
    await database.drop()
    await releaseServer()
  })
  const [left, right] = findCollision()
  const put = async (content: string, ...tags: string[]) => (await memory.put(memoryRef, { content, tags })).id
  const list = async (tag: string, more: object = {}) =>
    (await memory.list(memoryRef, { tag, ...more })).entries.map(({ content }) => content)
  /** What verifying finds of tags. */
  const wrongTags = async () => {
    const { contents } = await memory.verify({ contents: true })
    return contents?.anomalies.flatMap(({ problem, what }) => (what === 'tag' ? problem : []))
  }
  const rowsOf = async (tag: string) =>
    (await run(database.url, 'select 1 from entry_tag where tag_key = $1', [tagKey(tenantId, memoryRef, tag)])).length

  test('the number of a tag is the same in the program and in SQL', async () => {
    for (const tenant of ['acme', 'globex', 'münchen'])
      for (const [ref, tag] of [
        ['notes', 'bird'],
        ['agents/tea', 'Größe 😀'],
        ['a\nb', 'c'],
      ] as const) {
        const [row] = await run(database.url, `select ${tagKeySql('$1', '$2::text', '$3::text')}::text as key`, [
          firstTagKey(tenant),
          ref,
          tag,
        ])
        assert.equal(row?.key, tagKey(tenant, ref, tag))
      }
  })

  test('every reader distinguishes tags of the same number', async () => {
    assert.equal(tagKey(tenantId, memoryRef, left), tagKey(tenantId, memoryRef, right))
    await put('left', left)
    const { position } = await memory.snapshot()
    const ended = await put('ended right', right)
    await put('right', right)
    const both = await put('both', left, right)
    const third = (await memory.snapshot()).position
    assert.equal(await rowsOf(left), 4, 'an entry with both tags has one row')
    await memory.delete(memoryRef, ended)
    assert.deepEqual(
      [await list(left), await list(right)],
      [
        ['both', 'left'],
        ['both', 'right'],
      ],
    )
    assert.deepEqual(
      [await list(right, { limit: 1 }), await list(left, { limit: 1, asOf: position })],
      [['both'], ['left']],
    )
    assert.deepEqual(await list(right, { asOf: third }), ['both', 'right', 'ended right'])
    assert.deepEqual(await list(right, { asOf: position }), [])
    const matching = await storage.listMatching({
      ...{ tenantId, memoryRef, tag: left, now: Date.now(), before: null, limit: 10, examinedMax: 100 },
      ...{ filter: parseFilter({ not: { tag: 'none' } }), includesEnded: false },
      view: { position: third, own: [], access: fullAccess },
    })
    assert.deepEqual(
      matching.versions.map(({ content }) => content),
      ['both', 'left'],
    )
    await memory.revise(memoryRef, both, { content: 'only left', tags: [left] })
    assert.deepEqual([await list(left), await list(right)], [['only left', 'left'], ['right']])
    assert.deepEqual(await wrongTags(), [])
  })

  test('redacting one of two tags of the same number keeps the row of the other', async () => {
    const entryId = await put('two tags', left, right)
    const [version] = await storage.versions(tenantId, [{ memoryRef, entryId, version: 1 }])
    assert.ok(version)
    const { content, salt } = version
    const rewrite = { memoryRef, entryId, version: 1, content, tags: [right], readSalt: salt, salt: `${salt}x` }
    await storage.commit(batchOf({ tenantId, kind: 'memory.redacted', rewrites: [rewrite] }))
    assert.deepEqual(
      [await list(left), await list(right)],
      [
        ['only left', 'left'],
        ['two tags', 'right'],
      ],
    )
    assert.deepEqual(await wrongTags(), [])
  })

  test('entries of a tag are counted, in one ref and in several', async () => {
    /** Whether there is room for one more. */
    const hasRoom = (of: { memoryRef: string; isPrefix?: true; tag: string }, max: number) =>
      storage
        .commit(batchOf({ tenantId, capacities: [{ of: { ...of, now: Date.now() }, max, gained: 1 }] }))
        .then(() => true)
        .catch(() => false)
    await memory.put('notes/other', { content: 'elsewhere', tags: [left] })
    for (const [of, stored] of [
      [{ memoryRef, tag: left }, 2],
      [{ memoryRef, tag: right }, 2],
      [{ memoryRef, isPrefix: true, tag: left }, 3],
      [{ memoryRef, isPrefix: true, tag: right }, 2],
    ] as const)
      assert.deepEqual([await hasRoom(of, stored + 1), await hasRoom(of, stored)], [true, false], JSON.stringify(of))
  })

  test('a row that names the number of another tag shows no entry by it', async () => {
    const id = await put('a heron', 'bird')
    const [version] = await storage.versions(tenantId, [{ memoryRef, entryId: id, version: 1 }])
    assert.ok(version)
    await run(database.url, 'insert into entry_tag (tenant_id, tag_key, place, version) values ($1, $2, $3, 1)', [
      tenantId,
      tagKey(tenantId, memoryRef, 'fish'),
      tagPlace(version.createdPosition, version.ordinal),
    ])
    assert.deepEqual([await list('bird'), await list('fish')], [['a heron'], []])
    assert.deepEqual(await wrongTags(), ['unrecorded'])
    await run(database.url, 'delete from entry_tag where tag_key = $1', [tagKey(tenantId, memoryRef, 'fish')])
  })

  test('a tag of the same number is not left over of a forgotten tag', async () => {
    const of = async (value: string) => {
      const fence = { kind: 'tag' as const, value, position: 1_000, ...everySequence }
      return (await storage.forget.leftovers(tenantId, [fence])).tags
    }
    const third = await put('third', right)
    const [before, other] = [await of(left), await of(right)]
    const id = await put('one more', left)
    assert.deepEqual([await of(left), await of(right)], [before + 1, other])
    for (const entryId of [id, third]) {
      const erasures = await storage.versions(tenantId, [{ memoryRef, entryId, version: 1 }])
      await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures: erasures as never }))
    }
    assert.deepEqual([await of(left), await of(right)], [before, other - 1])
  })

  test('erasing leaves no row, of tags of the same number either', async () => {
    const fences = [{ kind: 'ref' as const, value: memoryRef, position: 1_000, ...everySequence }]
    assert.notEqual((await storage.forget.leftovers(tenantId, fences)).tags, 0)
    const versions = await storage.scanVersions({ tenantId, after: null, limit: 100 })
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures: versions }))
    assert.deepEqual(await run(database.url, 'select 1 from entry_tag'), [])
    assert.equal((await storage.forget.leftovers(tenantId, fences)).tags, 0)
  })
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { removeEntry, revise } from '../../src/app/entries/change.ts'
import { patchEntry } from '../../src/app/entries/patch.ts'
import { put } from '../../src/app/entries/put.ts'
import { get, list, listRefs } from '../../src/app/entries/read.ts'
import { search } from '../../src/app/search/search-memory.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { isReadableBy } from '../../src/core/entries/access.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const words = ['heron', 'herons', 'tea', 'garden', 'the', 'lighthouse', 'gardening']
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((picked) => picked.join(' '))
const readers = fc.constantFrom(null, [], ['ana'], ['ben'], ['ana', 'ben'])
const nth = fc.nat(20)
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), text, readers, tag: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('patch' as const), nth, readers }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revise' as const), nth, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('index' as const), rows: fc.integer({ min: 1, max: 5 }) }) },
)
const history = fc.array(act, { minLength: 1, maxLength: 16 })
const queries = ['heron', 'heron tea garden', '"tea garden"', 'gard*', 'the']
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

const start = Date.parse('2026-01-01T00:00:00Z')
let clock = start
const now = () => clock
const ref = 'notes'

/** Who may read each entry at the end, by the order of their creation: the model. */
function readersAtEnd(acts: readonly Act[]): (readonly string[] | null)[] {
  const made: { readers: readonly string[] | null; isDeleted: boolean }[] = []
  for (const step of acts) {
    if (step.do === 'put') made.push({ readers: step.readers, isDeleted: false })
    const target = 'nth' in step ? made[step.nth % Math.max(1, made.length)] : undefined
    if (target && !target.isDeleted && step.do === 'patch') target.readers = step.readers
    if (target && step.do === 'delete') target.isDeleted = true
  }
  return made.map((entry) => entry.readers)
}

/** Plays the acts on the entries that pass the test. Without readers, it is as if the others had never been there. */
async function play(tenant: Tenant, acts: readonly Act[], isWanted: (nth: number) => boolean, withReaders: boolean) {
  clock = start
  const ids: (string | null)[] = []
  for (const step of acts) {
    clock += 1_000
    if (step.do === 'put') {
      const draft = { content: step.text, tags: step.tag ? ['marked'] : [] }
      const restricted = withReaders && step.readers !== null ? { readers: step.readers } : {}
      const entry = isWanted(ids.length) ? await put(tenant, ref, { ...draft, ...restricted }) : null
      ids.push(entry?.id ?? null)
    }
    if (step.do === 'index') await tenant.storage.search.index(tenant.id, ref, step.rows)
    const id = 'nth' in step ? (ids[step.nth % Math.max(1, ids.length)] ?? null) : null
    const target = id === null ? null : await get(tenant, ref, id)
    if (target === null) continue
    if (step.do === 'delete') await removeEntry(tenant, ref, target.id)
    if (step.do === 'revise') await revise(tenant, ref, target.id, { content: step.text })
    if (step.do === 'patch' && withReaders) await patchEntry(tenant, ref, target.id, { readers: step.readers })
  }
  return ids
}

/** Everything that a reader can ask, now and at earlier instants; entries are named by the order of their creation. */
async function answers(tenant: Tenant, ids: readonly (string | null)[], acts: readonly Act[]) {
  const name = (id: string) => ids.indexOf(id)
  const seen: unknown[] = []
  const moments = acts.map((_, at) => new Date(start + (at + 1) * 1_000).toISOString())
  for (const asOf of [undefined, ...moments.slice(-3)]) {
    for (const tag of [undefined, 'marked']) {
      const entries: [number, string][] = []
      for (let cursor: string | undefined; ; ) {
        const page = await list(tenant, ref, { limit: 2, tag, ...(cursor === undefined ? { asOf } : { cursor }) })
        entries.push(...page.entries.map(({ id, content }): [number, string] => [name(id), content]))
        cursor = page.cursor
        if (cursor === undefined) break
      }
      seen.push(entries)
      for (const query of queries) {
        const { results } = await search(tenant, ref, query, { asOf, tag, explain: true, highlights: true })
        seen.push(results.map(({ entry, readers: _, ...hit }) => [name(entry.id), entry.content, hit]))
      }
    }
    const found = await Promise.all(ids.map((id) => (id === null ? null : get(tenant, ref, id, { asOf }))))
    seen.push(found.map((entry) => entry?.content ?? null))
  }
  const refs = await listRefs(tenant, { after: null, limit: 9 })
  seen.push(refs.map(({ entries, lastWriteAt }) => [entries, lastWriteAt]))
  return seen
}

let tenants = 0

/** What a reader sees is what it would see if what it cannot see had never been stored. */
async function compare(storage: Storage, acts: readonly Act[]): Promise<void> {
  const { engine } = composeEngine(storage, nodeSystem(now), 'test', null)
  const tenant = engine.tenant(`full-${++tenants}`)
  const atEnd = readersAtEnd(acts)
  const ids = await play(tenant, acts, () => true, true)
  for (const reader of ['ana', 'ben', 'cleo']) {
    const isSeen = (at: number) => isReadableBy(atEnd[at] ?? null, reader)
    const alone = engine.tenant(`alone-${tenants}-${reader}`)
    const ownIds = await play(alone, acts, isSeen, false)
    assert.deepEqual(
      await answers(tenant.withReader(reader), ids, acts),
      await answers(alone, ownIds, acts),
      `as ${reader}`,
    )
  }
}

const check = (storage: Storage, runs: number) =>
  fc.assert(
    fc.asyncProperty(history, (acts) => compare(storage, acts)),
    { numRuns: runsOf(runs) },
  )

test('the model: a reader sees what it would see if the rest had never been stored', async () => {
  await check(openInMemoryStore({ now }), 60)
})

test('SQLite: a reader sees what it would see if the rest had never been stored', async () => {
  const folder = createFolder()
  const storage = openSqlite({ path: folder.file('readers.db'), now })
  await check(storage, 25)
  await storage.close()
  folder.remove()
})

test('PostgreSQL: a reader sees what it would see if the rest had never been stored', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now, connectionsMax: 4 })
  await check(storage, 5)
  await storage.close()
  await database.drop()
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const words = ['heron', 'herons', 'tea', 'garden', 'Zoë', '黒猫', '🦩', '1,234', 'the', 'lighthouse', 'gardening']
/** Letters without spaces: words of more letters than a term can have, and much longer ones. */
const long = [
  'haupt'.repeat(13),
  `${'haupt'.repeat(13)}s`,
  'schule'.repeat(600),
  "a'b'".repeat(50),
  `Die ${'ä'.repeat(70)}ings`,
]
const text = fc
  .array(fc.constantFrom(...words, ...long), { minLength: 1, maxLength: 6 })
  .map((picked) => picked.join(' '))
const ref = fc.constantFrom('notes', 'other')
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), ref, text, tag: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revise' as const), nth: fc.nat(20), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), nth: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('index' as const), ref, rows: fc.integer({ min: 1, max: 5 }) }) },
)
const history = fc.array(act, { minLength: 1, maxLength: 20 })
const queries = ['heron', 'heron tea garden', '"tea garden"', 'gard*', 'zoe 黒猫', '猫', '🦩 1234', 'the', '', ...long]

const start = Date.parse('2026-01-01T00:00:00Z')
/** Advances with every step, so that no two entries have the same age. */
let clock = start
const now = () => clock

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

/** Runs a history and every query at every position; entries are named by the order of their creation. */
async function answers(storage: Storage, tenantId: string, acts: readonly Act[], noise: boolean) {
  clock = start
  const colophon = composeColophon(storage, nodeSystem(now), 'test')
  const memory = colophon.memory(tenantId)
  const made: { id: string; ref: string }[] = []
  const moments: number[] = []
  for (const step of acts) {
    clock += 1_000
    if (noise) await colophon.memory(`${tenantId}-rival`).put('notes', { content: words.join(' ') })
    if (step.do === 'put') {
      const { id } = await memory.put(step.ref, { content: step.text, tags: step.tag ? ['marked'] : [] })
      made.push({ id, ref: step.ref })
      moments.push((await memory.snapshot()).position)
    }
    if (step.do === 'index') await storage.search.index(tenantId, step.ref, step.rows)
    const target = 'nth' in step ? made[step.nth % Math.max(1, made.length)] : undefined
    if (step.do === 'delete' && target) await memory.delete(target.ref, target.id)
    if (step.do === 'revise' && target && (await memory.get(target.ref, target.id)))
      await memory.revise(target.ref, target.id, { content: step.text })
  }
  const name = (id: string) => made.findIndex((entry) => entry.id === id)
  const seen: unknown[] = []
  for (const at of [undefined, ...moments.slice(-3)]) {
    for (const query of queries) {
      for (const tag of [undefined, 'marked']) {
        const { results } = await memory.search('notes', query, { asOf: at, tag, explain: true })
        seen.push(
          results.map(({ entry, score, parts, matched }) => [name(entry.id), entry.content, score, parts, matched]),
        )
      }
    }
  }
  return seen
}

const inModel = (acts: readonly Act[]) => answers(openInMemoryStore({ now }), 'acme', acts, false)

test('SQLite finds what the model finds, in its order, whatever is indexed and whatever other tenants store', async () => {
  const folder = createFolder()
  const storage = openSqlite({ path: folder.file('search.db'), now })
  let tenants = 0
  const property = fc.asyncProperty(history, async (acts) => {
    assert.deepEqual(await answers(storage, `acme-${++tenants}`, acts, true), await inModel(acts))
  })
  await fc.assert(property, { numRuns: runsOf(40) })
  await storage.close()
  folder.remove()
})

test('PostgreSQL finds what the model finds, in its order, whatever is indexed and whatever other tenants store', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now, connectionsMax: 4 })
  let tenants = 0
  const property = fc.asyncProperty(history, async (acts) => {
    assert.deepEqual(await answers(storage, `acme-${++tenants}`, acts, true), await inModel(acts))
  })
  await fc.assert(property, { numRuns: runsOf(12) })
  await storage.close()
  await database.drop()
})

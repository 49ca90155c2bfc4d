import assert from 'node:assert/strict'
import type { NewEntry } from '../../../src/core/commit/batch.ts'
import { currentView } from '../../../src/core/entries/as-of.ts'
import type { EntryVersion, Origin, Place } from '../../../src/core/entries/entry.ts'
import { type Trust, trustClasses } from '../../../src/core/entries/trust.ts'
import { type EntryFilter, matches, requiredTag } from '../../../src/core/filter/filter.ts'
import { parseFilter } from '../../../src/core/filter/parse-filter.ts'
import { type Classification, categories, defaultClassification } from '../../../src/core/provenance/category.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import { batchOf } from './batch.ts'
import { sourceOf } from './provenance-rows.ts'
import { find, memoryRef, tenantId, whileIndexing } from './search-calls.ts'
import type { ContractTest } from './world.ts'

/** The metadata of the source events, by the number of the event. The last event is an edit: its metadata is the host's own. */
const metadata: readonly Readonly<Record<string, unknown>>[] = [
  { plan: 'pro', seats: 12, isTrial: false, note: null, 'odd "key"': 'Zoë' },
  { plan: 'free', seats: 0.1, isTrial: true, list: ['pro'], inner: { plan: 'pro' } },
  { plan: 5, seats: '12', '': 'empty', large: 2 ** 60 },
  { edits: 'mem_1', plan: 'pro' },
]

const origins: readonly Origin[] = [
  { kind: 'api' },
  { kind: 'api', agentId: 'scribe', sourceEventId: 'src_0' },
  { kind: 'service', service: 'crm', sourceEventId: 'src_1' },
  { kind: 'service', service: "o'mail", agentId: 'reader', sourceEventId: 'src_2' },
  { kind: 'service', service: 'crm', sourceEventId: 'src_3' },
]

const tags = [[], ['a'], ['a', 'b'], ['"quoted"', "it's"]]

/** Entries of every kind: what their members are follows from their number. */
export async function storeVariety(storage: Storage, count: number): Promise<void> {
  await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, 0)
  const isEdit = (nth: number) => nth === metadata.length - 1
  const sourceEvents = metadata.map((each, nth) =>
    sourceOf(`src_${nth}`, { metadata: each, ...(isEdit(nth) ? { jobId: '' } : {}) }),
  )
  await storage.commit(batchOf({ tenantId, sourceEvents }))
  for (let from = 0; from < count; from += 5) {
    const puts = Array.from({ length: Math.min(5, count - from) }, (_, nth) => entryOf(from + nth))
    await storage.commit(batchOf({ tenantId, puts }))
  }
}

function entryOf(nth: number): NewEntry {
  const pick = <T>(list: readonly T[], step: number): T => list[Math.floor(nth / step) % list.length] as T
  return {
    memoryRef,
    entryId: `mem_${nth}`,
    content: `tea ${nth}`,
    tags: pick(tags, 1),
    salt: `salt-${nth}`,
    expiresAt: null,
    subject: pick([null, 'ada', 'bob'], 2),
    origin: pick(origins, 1),
    trust: pick<Trust>(trustClasses, 3),
    ...(nth % 7 === 0 ? {} : { classification: classificationOf(nth) }),
  }
}

function classificationOf(nth: number): Classification {
  const category = categories[nth % categories.length] ?? 'fact'
  const observed = nth % 2 === 0 ? {} : { observedAt: 1_000 * nth }
  return { ...defaultClassification, category, importance: 1 + (nth % 10), confidence: (nth % 9) / 8, ...observed }
}

/** The numbers of the entries that a filter selects, by the definition of the core, newest first. */
function selected(versions: readonly EntryVersion[], filter: EntryFilter): string[] {
  const metadataOf = ({ origin }: EntryVersion) => {
    const id = 'sourceEventId' in origin ? origin.sourceEventId : undefined
    const nth = id === undefined ? -1 : Number(id.slice('src_'.length))
    return nth < 0 || nth === metadata.length - 1 ? null : (metadata[nth] ?? null)
  }
  return versions
    .filter((version) => matches({ ...version, metadata: metadataOf(version) }, filter))
    .map(({ entryId }) => entryId)
}

/** What a store selects: by the steps of a list, by key, and by a search. All must be equal. */
async function selectedBy(storage: Storage, filter: EntryFilter, examinedMax: number, limit: number) {
  const position = (await storage.clock(tenantId))?.position ?? 0
  const view = { ...currentView, position }
  const listed: EntryVersion[] = []
  const tag = requiredTag(filter)
  for (let before: Place | null = null; ; ) {
    const query = { tenantId, memoryRef, tag, view, includesEnded: false, now: 0, before, limit, filter, examinedMax }
    const { versions, examinedTo }: Awaited<ReturnType<Storage['listMatching']>> = await storage.listMatching(query)
    listed.push(...versions)
    before = versions.length === limit ? (versions.at(-1) ?? null) : examinedTo
    if (before === null) break
  }
  const all = await storage.list({ tenantId, memoryRef, tag: null, view, now: 0, before: null, limit: 1_000 })
  const keys = all.versions.map(({ entryId, version }) => ({ memoryRef, entryId, version }))
  const byKey = (await storage.versions(tenantId, keys, filter)).map(({ entryId }) => entryId)
  const found = await find(storage, 'tea', { filter: { where: filter } })
  const sorted = (ids: readonly string[]) => [...ids].sort()
  return {
    listed: listed.map(({ entryId }) => entryId),
    byKey: sorted(byKey),
    found: sorted(found.rows.map(({ version }) => version.entryId)),
    expected: selected(all.versions, filter),
  }
}

export async function assertSelected(storage: Storage, filter: EntryFilter, examinedMax = 1_000, limit = 1_000) {
  const { listed, byKey, found, expected } = await selectedBy(storage, filter, examinedMax, limit)
  const what = JSON.stringify(filter)
  assert.deepEqual(listed, expected, what)
  assert.deepEqual(byKey, [...expected].sort(), what)
  assert.deepEqual(found, [...expected].sort(), what)
  return expected
}

const selective = [
  { tag: 'a' },
  { tag: { in: ['b', "it's"] } },
  { not: { tag: 'a' } },
  { category: 'fact' },
  { writer: { in: ['crm', "o'mail"] } },
  { not: { writer: 'crm' } },
  { agent: 'scribe' },
  { subject: 'ada', category: { in: ['goal', 'fact'] } },
  { observed: { lt: '1970-01-01T00:00:20Z' } },
  { confidence: { gte: 0.25, lt: 0.75 } },
  { importance: { in: [1, 5] } },
  { trust: 'service' },
  { trust: { gt: 'agent' } },
  { not: { trust: { lte: 'agent' } } },
  { metadata: { plan: 'pro' } },
  { metadata: { plan: { in: ['free', 5] } } },
  { metadata: { seats: { gte: 0.1, lt: 13 } } },
  { metadata: { seats: 12 } },
  { metadata: { isTrial: false, note: null } },
  { metadata: { 'odd "key"': 'Zoë' } },
  { metadata: { large: 2 ** 60 } },
  { tag: 'b', metadata: { plan: 'free' } },
  { not: { metadata: { plan: 'pro' } } },
  { or: [{ tag: 'b' }, { and: [{ confidence: 1 }, { not: { category: 'fact' } }] }] },
] as const

/** Filters with operators: every store selects what the core selects. */
export function filtersContract(test: ContractTest): void {
  test('a filter selects what the core selects: in lists, by key and in searches', async ({ storage }) => {
    await storeVariety(storage, 40)
    const nth = { index: 0 }
    await whileIndexing(storage, async () => {
      // Each round another part: all of them in each round would tell nothing more.
      for (const form of selective.filter((_, at) => at % 3 === nth.index % 3)) {
        const expected = await assertSelected(storage, parseFilter(form))
        assert.ok(expected.length > 0 && expected.length < 40, `selects some, not all: ${JSON.stringify(form)}`)
      }
      nth.index++
    })
  })

  test('the steps of a filtered list neither leave out nor repeat an entry', async ({ storage }) => {
    await storeVariety(storage, 23)
    for (const form of [{ trust: 'verified' }, { tag: 'a' }, { category: 'goal' }, { writer: 'nobody' }])
      for (const [examinedMax, limit] of [
        [1, 2],
        [4, 1],
        [7, 3],
      ] as const)
        await assertSelected(storage, parseFilter(form), examinedMax, limit)
  })

  test('a filtered list is as of its position, and can include superseded entries', async ({ storage, colophon }) => {
    const memory = colophon.memory(tenantId)
    await storeVariety(storage, 5)
    const before = (await memory.snapshot()).position
    await memory.revise(memoryRef, 'mem_1', { content: 'tea again', tags: ['later'] })
    const ends = [{ memoryRef, entryId: 'mem_2', reason: 'superseded' as const }]
    await storage.commit(batchOf({ tenantId, ends }))
    const at = async (position: number, form: unknown, includesEnded: boolean) => {
      const view = { ...currentView, position }
      const query = { tenantId, memoryRef, tag: null, view, now: 0, before: null, limit: 9, examinedMax: 100 }
      const filter = parseFilter(form)
      return (await storage.listMatching({ ...query, filter, includesEnded })).versions.map(({ entryId }) => entryId)
    }
    const now = (await memory.snapshot()).position
    assert.deepEqual(await at(before, { tag: 'a' }, false), ['mem_2', 'mem_1'])
    assert.deepEqual(await at(now, { tag: { in: ['a', 'later'] } }, false), ['mem_1'])
    assert.deepEqual(await at(now, { tag: { in: ['a', 'later'] } }, true), ['mem_2', 'mem_1'])
  })

  test('a filtered list of a run has its own writes that match', async ({ storage }) => {
    await storeVariety(storage, 5)
    const position = (await storage.clock(tenantId))?.position ?? 0
    const origin = { kind: 'run', runId: 'run_1', sequence: 3 } as const
    const own = { ...entryOf(1), entryId: 'mem_own', content: 'tea of the run', origin, tags: ['a'] }
    await storage.commit(batchOf({ tenantId, puts: [own] }))
    const view = { ...currentView, position, own: [{ runId: 'run_1', beforeSequence: 9 }] }
    const query = { tenantId, memoryRef, tag: null, view, now: 0, before: null, limit: 9, examinedMax: 100 }
    const ids = async (form: unknown) => {
      const filter = parseFilter(form)
      return (await storage.listMatching({ ...query, filter, includesEnded: false })).versions.map(
        ({ entryId }) => entryId,
      )
    }
    assert.deepEqual(await ids({ tag: 'a' }), ['mem_own', 'mem_2', 'mem_1'])
    assert.deepEqual(await ids({ tag: 'a', not: { metadata: { plan: 'pro' } } }), ['mem_own', 'mem_2'])
  })
}

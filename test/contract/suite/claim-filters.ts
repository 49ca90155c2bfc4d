import assert from 'node:assert/strict'
import type { NewEntry } from '../../../src/core/commit/batch.ts'
import { currentView } from '../../../src/core/entries/as-of.ts'
import type { EntryVersion } from '../../../src/core/entries/entry.ts'
import { trustClasses } from '../../../src/core/entries/trust.ts'
import { type EntryFilter, matches } from '../../../src/core/filter/filter.ts'
import { parseFilter } from '../../../src/core/filter/parse-filter.ts'
import { bestOf, supportersAmong } from '../../../src/core/provenance/supporters.ts'
import { assertionOf, claimEntry, claimStep, commit, subjectRef } from './provenance-rows.ts'
import { ensureTenants } from './run-step.ts'
import { find } from './search-calls.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const claims = 60

/** Numbers that look random and are the same in every run. */
function createDice(seed: number) {
  let state = seed
  return <T>(sides: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return sides[(state >>> 16) % sides.length] as T
  }
}

/** Claims of one entry each, whose contents are stated in two steps by several services in every state that an assertion can have. */
async function storeClaims(world: World): Promise<readonly number[]> {
  const pick = createDice(7)
  const entryOf = (nth: number): NewEntry => ({
    ...claimEntry(`mem_${nth}`, { claimId: `clm_${nth}`, content: `tea ${nth}` }),
    origin: pick([{ kind: 'service', service: 'chat' }, { kind: 'api' }] as const),
    trust: pick(trustClasses),
    ...(pick([false, false, true]) ? { endsAtOnce: 'superseded' as const } : {}),
  })
  const stated = (nth: number, ordinal: number) =>
    assertionOf(ordinal, {
      claimId: `clm_${nth}`,
      service: pick(['chat', 'crm', 'a.z', 'a-z', null]),
      contentKey: pick(['own', 'own', 'own', 'other']),
      entryId: pick([`mem_${nth}`, `mem_${nth}`, null]),
      priority: pick([0, 50]),
      observedAt: pick([1_000, 2_000, 3_000]),
      confidence: pick([0.5, 0.7]),
      trust: pick(trustClasses),
      containedBy: pick([null, null, null, ['ctn_1']]),
      withdrawnPosition: pick([null, null, null, 2, 3]),
      withdrawalContainedBy: pick([null, null, ['ctn_2']]),
    })
  const ids = Array.from({ length: claims }, (_, nth) => nth)
  const first = ids.map((nth) =>
    claimStep(`clm_${nth}`, { assertions: pick([[], [0], [0, 1]]).map((at) => stated(nth, at)) }),
  )
  const positions = [await commit(world, { puts: ids.map(entryOf), claims: first })]
  const second = ids.map((nth) =>
    claimStep(`clm_${nth}`, { expects: 1, assertions: pick([[5], [5, 6], [5, 6, 7]]).map((at) => stated(nth, at)) }),
  )
  return [...positions, await commit(world, { claims: second })]
}

/** The entries that a filter selects by the definition of the core. */
async function selected({ storage }: World, versions: readonly EntryVersion[], filter: EntryFilter, position: number) {
  const ids: string[] = []
  for (const version of versions) {
    const all = await storage.provenance.assertions(tenantId, version.classification?.claimId ?? '')
    const best = bestOf(supportersAmong(all, version, position), version.trust) ?? null
    if (matches({ ...version, metadata: null, best }, filter)) ids.push(version.entryId)
  }
  return ids.sort()
}

const forms = [
  { writer: 'crm' },
  { writer: { in: ['chat', 'a.z'] } },
  { not: { writer: 'chat' } },
  { or: [{ writer: 'a-z' }, { observed: { gte: '1970-01-01T00:00:03Z' } }] },
  { observed: { lt: '1970-01-01T00:00:02Z' }, not: { writer: { in: ['crm', 'a-z'] } } },
]

/** The writer and the observation of a memory are those of its best assertion, which can change without a new version. */
export function claimFiltersContract(test: ContractTest): void {
  test('a filter by writer or observation selects what reads show, at every position: in lists, by key and in searches', async (world) => {
    const { storage } = world
    await ensureTenants(world, tenantId)
    for (const position of await storeClaims(world)) {
      const view = { ...currentView, position }
      const page = { tenantId, memoryRef: subjectRef, view, now: 0, before: null, limit: 1_000, tag: null }
      const current = (await storage.list(page)).versions
      const all = await storage.provenance.listAll({ ...page, position, access: view.access })
      for (const form of forms) {
        const filter = parseFilter(form)
        const what = `${JSON.stringify(form)} at ${position}`
        for (const [versions, includesEnded] of [
          [current, false],
          [all, true],
        ] as const) {
          const expected = await selected(world, versions, filter, position)
          assert.ok(expected.length > 0 && expected.length < versions.length, `selects some, not all: ${what}`)
          const listed = await storage.listMatching({ ...page, filter, includesEnded, examinedMax: 1_000 })
          assert.deepEqual(listed.versions.map(({ entryId }) => entryId).sort(), expected, what)
          const byKey = await storage.versions(tenantId, versions, filter, position)
          assert.deepEqual(byKey.map(({ entryId }) => entryId).sort(), expected, what)
        }
        const expected = await selected(world, current, filter, position)
        const asked = { memoryRef: subjectRef, position, filter: { where: filter } }
        for (const isIndexed of [false, true]) {
          if (isIndexed) await storage.search.index(tenantId, subjectRef, 1_000)
          const found = await find(storage, 'tea', asked)
          assert.deepEqual(found.rows.map(({ version }) => version.entryId).sort(), expected, what)
        }
      }
    }
  })
}

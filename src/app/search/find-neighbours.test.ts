import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullAccess } from '../../core/entries/access.ts'
import { isOlder } from '../../core/entries/as-of.ts'
import { limits } from '../../core/limits.ts'
import type { FoundRow, SearchStore } from '../../ports/search-store.ts'
import type { Tenant } from '../tenant.ts'
import { toSearchRows, withNeighbours, withoutNeighbours } from './find-neighbours.ts'

/** Two conversations one after the other, of eight messages each. */
const rows = Array.from({ length: 16 }, (_, at) => {
  const version = { entryId: `m${at}`, version: 1, content: '', createdAt: 0, createdPosition: at + 1, ordinal: 0 }
  return { version: { ...version, classification: { sessionId: at < 8 ? 'one' : 'two' } }, terms: [] }
}) as unknown as FoundRow[]

const around: SearchStore['around'] = async ({ places, reach }) =>
  places.map((place) => [
    ...rows.filter(({ version }) => isOlder(version, place)).slice(-reach),
    ...rows.filter(({ version }) => isOlder(place, version)).slice(0, reach),
  ])

async function stretchesOf(found: readonly number[], surroundedMax: number = limits.searchSurroundedMax) {
  const tenant = { id: 'acme', storage: { search: { around } } } as unknown as Tenant
  const hits = found.map((at) => rows[at] as FoundRow)
  const scope = { memoryRef: 'notes', position: 16, access: fullAccess }
  const segments = await withNeighbours(tenant, scope, hits, surroundedMax, 0)
  return segments.map((segment) => [segment.rows.map(({ version }) => version.entryId), segment.isFromBeginning])
}

test('a segment stays inside its conversation, and says whether it starts with it', async () => {
  assert.deepEqual(await stretchesOf([1, 4, 9, 13]), [
    [['m0', 'm1', 'm2', 'm3', 'm4', 'm5'], true],
    [['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'], false],
    [['m8', 'm9', 'm10', 'm11', 'm12', 'm13'], true],
    [['m9', 'm10', 'm11', 'm12', 'm13', 'm14', 'm15'], false],
  ])
})

test('a hit beyond the number of hits with neighbours has a segment of its own row only', async () => {
  assert.deepEqual(await stretchesOf([2, 0], 1), [
    [['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'], true],
    [['m0'], false],
  ])
})

test('other work has a turn between two segments, and each entry becomes one row', async () => {
  const segments = [...rows, rows[3] as FoundRow].map(withoutNeighbours)
  let asked = 0
  let turns = 0
  const slice = () => {
    asked += 1
    return asked % 4 === 0 ? new Promise<void>((resolve) => setImmediate(() => resolve(void turns++))) : undefined
  }
  const made = await toSearchRows(segments, slice)
  assert.deepEqual([asked, turns], [17, 4])
  assert.equal(made.versions.size, 16)
  assert.equal(made.segments[3]?.rows[0], made.segments[16]?.rows[0])
})

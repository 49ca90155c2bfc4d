import type { ReadAccess } from '../../core/entries/access.ts'
import { isOlder } from '../../core/entries/as-of.ts'
import type { Place } from '../../core/entries/entry.ts'
import { type ConversationSegment, neighbourReach, type SearchRow } from '../../core/search/candidate.ts'
import { speakerOf } from '../../core/search/speaker.ts'
import type { FoundRow, NeighbourRow, NeighbourVersion } from '../../ports/search-store.ts'
import type { TimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'

type SearchedRef = { readonly memoryRef: string; readonly position: number; readonly access: ReadAccess }

/** The hits, best first. The best of them get their neighbours: the messages before and after them in the same conversation. */
export async function withNeighbours(
  tenant: Tenant,
  { memoryRef, position, access }: SearchedRef,
  rows: readonly FoundRow[],
  surroundedMax: number,
  now: number,
): Promise<ConversationSegment<NeighbourRow>[]> {
  const spoken = rows.filter(({ version }) => sessionOf(version) !== null).slice(0, surroundedMax)
  // Twice the reach: neighbours are ranked too, together with their own neighbours.
  const reach = 2 * neighbourReach
  const places = spoken.map(({ version }) => version)
  const query = { tenantId: tenant.id, memoryRef, position, now, access, places, reach }
  const around = await tenant.storage.search.around(query)
  const bySession = spoken.map((row, at) => sameSession(row, around[at] ?? [], reach))
  const isSpoken = new Set(spoken)
  return [...bySession, ...rows.filter((row) => !isSpoken.has(row)).map(withoutNeighbours)]
}

/** A segment of one row, without neighbours. */
export function withoutNeighbours(row: NeighbourRow): ConversationSegment<NeighbourRow> {
  return { rows: [row], isFromBeginning: false }
}

/** The unbroken segment of one conversation around the row. */
function sameSession(
  row: NeighbourRow,
  around: readonly NeighbourRow[],
  reach: number,
): ConversationSegment<NeighbourRow> {
  const session = sessionOf(row.version)
  const place: Place = row.version
  const firstNewer = around.findIndex(({ version }) => !isOlder(version, place))
  const olderCount = firstNewer === -1 ? around.length : firstNewer
  let first = olderCount
  while (first > 0 && sessionOf((around[first - 1] as NeighbourRow).version) === session) first--
  let end = olderCount
  while (end < around.length && sessionOf((around[end] as NeighbourRow).version) === session) end++
  return {
    rows: [...around.slice(first, olderCount), row, ...around.slice(olderCount, end)],
    isFromBeginning: first > 0 || olderCount < reach,
  }
}

/** The conversation that an entry comes from. */
function sessionOf({ classification }: NeighbourVersion): string | null {
  return classification?.sessionId ?? classification?.sourceEventId ?? null
}

type SearchRows = {
  readonly segments: readonly ConversationSegment[]
  /** The version of each entry. */
  readonly versions: ReadonlyMap<string, NeighbourVersion>
}

/**
 * Segments overlap where hits are close together: each entry becomes one row, of the version of it that was found first. In time slices: the
 * terms of a long text take a millisecond.
 */
export async function toSearchRows(
  segments: readonly ConversationSegment<NeighbourRow>[],
  slice: TimeSlice,
): Promise<SearchRows> {
  const made = new Map<string, SearchRow>()
  const versions = new Map<string, NeighbourVersion>()
  const toRow = (spoken: NeighbourRow): SearchRow => {
    const known = made.get(spoken.version.entryId)
    if (known !== undefined) return known
    const row = toSearchRow(spoken)
    made.set(row.id, row)
    versions.set(row.id, spoken.version)
    return row
  }
  const toSegments: ConversationSegment[] = []
  for (const { rows, isFromBeginning } of segments) {
    const turn = slice()
    if (turn !== undefined) await turn
    toSegments.push({ rows: rows.map(toRow), isFromBeginning })
  }
  return { segments: toSegments, versions }
}

function toSearchRow({ version, terms }: NeighbourRow): SearchRow {
  return {
    id: version.entryId,
    text: version.content,
    terms,
    speaker: speakerOf({ content: version.content }),
    observedAt: version.classification?.observedAt ?? version.createdAt,
    sessionId: sessionOf(version),
  }
}

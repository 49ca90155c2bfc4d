import type { Batch, Clock, EntryHead } from '../../core/commit/batch.ts'
import { keyOf } from '../../core/commit/batch.ts'
import { isEmpty } from '../../core/commit/parts/index.ts'
import { blankVersion, type EntryKey } from '../../core/entries/entry.ts'
import { namesSpelled } from '../../core/people/spelling.ts'
import type { Settled } from '../sql/group-commit.ts'
import type { Database } from './database.ts'
import { isCollision } from './errors.ts'
import { foldEndings } from './fold-endings.ts'
import { optimisticStatement } from './optimistic-statements.ts'
import { loadNothing } from './parts/index.ts'
import type { Group } from './parts/part.ts'
import { type GroupState, sealGroup } from './seal-group.ts'
import { toUnknownOutcome } from './unknown-outcome.ts'

/** What an optimistic commit can do: put and end entries, with an idempotency key or without. Everything else has to read more rows first. */
const quickParts: readonly (keyof Batch)[] = [
  'tenantId',
  'actor',
  'kind',
  'puts',
  'ends',
  'expects',
  'idempotency',
  'mac',
  'redactionVersion',
  'redactions',
  'tenantCreatedAt',
]
const isQuick: ReadonlySet<string> = new Set(quickParts)

export function canBeOptimistic(batches: Group): boolean {
  return batches.every(
    (batch) =>
      Object.entries(batch).every(([part, value]) => isQuick.has(part) || isEmpty(value)) &&
      !batch.puts.some(namesSpelled),
  )
}

/**
 * Decides a group by the cached clock, without a lock, and stores it if the clock was right: one statement and
 * one round trip. Entries to be ended are assumed to be at the version that the caller expects, or at the first one; the
 * statement checks that they are. Null: nothing was stored, and the group has to be decided under the lock. So is every
 * refusal, because the rows may have changed.
 */
export async function commitOptimistically(
  database: Database,
  batches: Group,
  seen: Clock,
  now: number,
): Promise<{ settled: readonly Settled[]; clock: Clock } | null> {
  const tenantId = batches[0]?.tenantId ?? ''
  const heads = headsTaken(batches)
  if (heads === null) return null
  const state: GroupState = { clock: seen, outcomes: new Map(), loaded: { ...loadNothing(), heads } }
  const group = sealGroup(batches, state, now)
  const { sealed, settled, outcomes } = group
  if (settled.some(({ status }) => status === 'rejected') || sealed.some(({ audit }) => audit === null)) return null
  const audit = sealed.flatMap((batch) => batch.audit ?? [])
  const quick = optimisticStatement({ tenantId, seen, next: state.clock, audit, outcomes, now, ...foldEndings(sealed) })
  if (quick === null) return null
  try {
    const { rowCount } = await database.write(tenantId, quick.what, quick.values)
    return rowCount === 0 ? null : { settled, clock: state.clock }
  } catch (error) {
    // Another process may have stored the same key without moving the clock.
    if (isCollision(error)) return null
    throw toUnknownOutcome(error, group)
  }
}

/**
 * The entries that the group ends, as they are assumed to be; those that it puts itself are not stored
 * before. Null when it expects something of other entries.
 */
function headsTaken(batches: Group): Map<string, EntryHead> | null {
  const ends = new Map(batches.flatMap((batch) => batch.ends).map((end) => [keyOf(end), takenToBe(end, 1)]))
  for (const put of batches.flatMap((batch) => batch.puts)) ends.delete(keyOf(put))
  for (const expected of batches.flatMap((batch) => batch.expects)) {
    if (!ends.has(keyOf(expected))) return null
    ends.set(keyOf(expected), takenToBe(expected, expected.version))
  }
  return ends
}

function takenToBe({ memoryRef, entryId }: EntryKey, version: number): EntryHead {
  return { ...blankVersion, memoryRef, entryId, version }
}

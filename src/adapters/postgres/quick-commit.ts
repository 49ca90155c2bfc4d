import type { Batch, Clock } from '../../core/batch.ts'
import { keyOf } from '../../core/batch.ts'
import type { Redacted } from '../../core/redaction.ts'
import type { Settled } from '../group-commit.ts'
import { type HeadRow, toHead } from '../rows.ts'
import { selectHead, selectHeads } from './commit-statements.ts'
import type { Send } from './connection.ts'
import type { Database } from './database.ts'
import { doubtful } from './doubt.ts'
import { quickStatement } from './quick-statements.ts'
import { foldEndings, type GroupState, sealGroup } from './seal-group.ts'

type Group = readonly Redacted<Batch>[]

/** What a quick commit can do: put and end entries, under a key or not. Everything else needs to look at more first. */
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
]
const isQuick: ReadonlySet<string> = new Set(quickParts)

export function mayBeQuick(batches: Group): boolean {
  return batches.every((batch) => Object.entries(batch).every(([part, value]) => isQuick.has(part) || isNothing(value)))
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0)
}

/**
 * Decides a group by the clock as this process knows it, without a lock, and stores it if that was right. What is read for it is
 * read after the clock was known, so if the clock has not moved, it is what a lock would have shown. Null: nothing was
 * stored, and it has to be decided under the lock. So is every refusal, which might be another one by now.
 */
export async function commitQuickly(
  database: Database,
  tenantId: string,
  batches: Group,
  seen: Clock,
  at: number,
): Promise<{ settled: readonly Settled[]; clock: Clock; isStale: boolean } | null> {
  const state = await loadState(database.send, tenantId, batches, seen)
  const group = sealGroup(batches, state, at)
  const { sealed, settled } = group
  if (settled.some(({ status }) => status === 'rejected') || sealed.some(({ audit }) => audit === null)) return null
  const work = {
    tenantId,
    seen,
    next: state.clock,
    audit: sealed.flatMap(({ audit }) => audit ?? []),
    outcomes: group.outcomes,
    ...foldEndings(sealed),
  }
  const quick = quickStatement(work)
  if (quick === null) return null
  try {
    const { rowCount } = await database.write(tenantId, quick.what, quick.values)
    return { settled, clock: state.clock, isStale: rowCount === 0 }
  } catch (error) {
    throw doubtful(error, group)
  }
}

async function loadState(send: Send, tenantId: string, batches: Group, clock: Clock): Promise<GroupState> {
  const entries = batches.flatMap((batch) => [...batch.ends, ...batch.expects])
  const [first] = entries
  const isOne = first !== undefined && entries.every((entry) => keyOf(entry) === keyOf(first))
  const heads =
    first === undefined
      ? []
      : isOne
        ? (await send<HeadRow>(selectHead, [tenantId, first.memoryRef, first.entryId])).rows
        : (
            await send<HeadRow>(selectHeads, [
              tenantId,
              entries.map(({ memoryRef }) => memoryRef),
              entries.map(({ entryId }) => entryId),
            ])
          ).rows
  return {
    clock,
    heads: new Map(heads.map(toHead).map((head) => [keyOf(head), head])),
    outcomes: new Map(),
    jobs: new Map(),
    versions: new Map(),
    revisions: new Map(),
    runs: new Map(),
    claims: new Map(),
    sourceEvents: new Set(),
    compactions: new Map(),
    snapshots: [],
    present: new Set(),
    active: new Map(),
  }
}

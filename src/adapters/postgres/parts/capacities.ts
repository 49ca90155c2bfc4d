import { type CapacityState, type Counted, capacityKey, isCounted } from '../../../core/commit/parts/capacities.ts'
import { countEntries, countRecords, refAfter } from '../../sql/capacity-sql.ts'
import { type Send, statement } from '../connection.ts'
import { notFenced } from '../fence.ts'
import type { PostgresPart } from './part.ts'

type Known = { readonly counted: Counted; count: number }

export type CapacitiesLoaded = { readonly counts: Map<string, Known> }

export const capacities: PostgresPart<CapacitiesLoaded, CapacityState> = {
  none: () => ({ counts: new Map() }),

  async load(send, tenantId, batches) {
    const wanted = new Map<string, { of: Counted; max: number }>()
    for (const { capacities: asked } of batches)
      for (const capacity of asked) {
        const key = capacityKey(capacity.of)
        if ((wanted.get(key)?.max ?? -1) < capacity.max) wanted.set(key, capacity)
      }
    const counts = [...wanted].map(async ([key, { of, max }]) => {
      return [key, { counted: of, count: await countStored(send, tenantId, of, max) }] as const
    })
    return { counts: new Map(await Promise.all(counts)) }
  },

  state: ({ counts }) => ({ stored: (counted) => counts.get(capacityKey(counted))?.count ?? 0 }),

  /** Counts what the batches before in the group add. What they end still counts: a batch that is refused for it is decided again. */
  after({ counts }, { versions, admin }) {
    for (const known of counts.values()) {
      const { counted } = known
      known.count +=
        'records' in counted
          ? admin.filter(({ kind, record }) => kind === counted.records && record?.revision === 1).length
          : versions.filter((version) => version.endedPosition === null && isCounted(version, counted)).length
    }
  },

  save: () => [],
}

async function countStored(send: Send, tenantId: string, counted: Counted, max: number): Promise<number> {
  const { rows } = await send<{ count: number }>(...callOf(tenantId, counted, max))
  return Number(rows[0]?.count ?? 0)
}

function callOf(tenantId: string, counted: Counted, max: number): Parameters<Send> {
  if ('records' in counted) return [sql.records, [tenantId, counted.records]]
  const { memoryRef, isPrefix = false, tag, now } = counted
  const common = [tenantId, memoryRef, now, max]
  if (!isPrefix) return tag === null ? [sql.ofRef, common] : [sql.ofTag, [...common, tag]]
  const range = [...common, refAfter(memoryRef)]
  return tag === null ? [sql.ofRefs, range] : [sql.ofRefsTag, [...range, tag]]
}

function entries(isPrefix: boolean, hasTag: boolean): string {
  const tag = isPrefix ? '$6' : '$5'
  const parameters = { tenant: '$1', ref: '$2', now: '$3', limit: '$4', to: '$5', tag }
  return countEntries({ isPrefix, hasTag }, parameters, notFenced('v'))
}

const sql = {
  records: statement('count_records', countRecords({ tenant: '$1', kind: '$2' })),
  ofRef: statement('count_of_ref', entries(false, false)),
  ofTag: statement('count_of_tag', entries(false, true)),
  ofRefs: statement('count_of_refs', entries(true, false)),
  ofRefsTag: statement('count_of_refs_tag', entries(true, true)),
}

import { type CapacityState, type Counted, capacityKey, isCounted } from '../../../core/commit/parts/capacities.ts'
import { countEntries, countRecords, refAfter } from '../../sql/capacity-sql.ts'
import { type Send, statement } from '../connection.ts'
import { notFenced } from '../fence.ts'
import {
  byOrdinal,
  firstTagKey,
  hasTag,
  isAtOrdinal,
  ordinalOfPlace,
  positionOfPlace,
  tagKey,
  tagKeySql,
} from '../tag-rows.ts'
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
  if (!isPrefix)
    return tag === null ? [sql.ofRef, common] : [sql.ofTag, [...common, tag, tagKey(tenantId, memoryRef, tag)]]
  const range = [...common, refAfter(memoryRef)]
  return tag === null ? [sql.ofRefs, range] : [sql.ofRefsTag, [...range, tag, firstTagKey(tenantId)]]
}

function entries(isPrefix: boolean, isByTag: boolean): string {
  const tag = isPrefix ? '$6' : '$5'
  const parameters = { tenant: '$1', ref: '$2', now: '$3', limit: '$4', to: '$5', tag }
  return countEntries({ isPrefix, hasTag: isByTag }, parameters, notFenced('v'), isPrefix ? taggedInRefs : taggedInRef)
}

/** Step by step, as `offset 0` has it: without statistics the planner might read all versions of the ref. */
const tagged = (key: string, ref: string, tag: string) => `
             lateral (select ${positionOfPlace('t.place')} as created_position, ${ordinalOfPlace('t.place')} as ordinal, t.version
                        from entry_tag t
                       where t.tenant_id = $1
                         and t.tag_key = ${key}
                         and t.ended_position is null
                      offset 0) t,
             lateral (select v.*
                        from entry_version v
                       where v.tenant_id = $1
                         and v.memory_ref = ${ref}
                         and v.created_position = t.created_position
                         and ${isAtOrdinal('t')}
                         and v.version = t.version
                         and v.ended_position is null
                         and ${hasTag('v', tag)}
                       ${byOrdinal}
                      offset 0) v`

const taggedInRef = `${tagged('$6', '$2', '$5')}
             where true`
/** A row of a tag does not name its ref, so the refs lead. */
const taggedInRefs = `search_scope s,
             lateral (select ${tagKeySql('$7', 's.memory_ref', '$6::text')} as tag_key offset 0) k, ${tagged('k.tag_key', 's.memory_ref', '$6')}
             where s.tenant_id = $1
               and s.memory_ref >= $2
               and s.memory_ref < $5`

const sql = {
  records: statement('count_records', countRecords({ tenant: '$1', kind: '$2' })),
  ofRef: statement('count_of_ref', entries(false, false)),
  ofTag: statement('count_of_tag', entries(false, true)),
  ofRefs: statement('count_of_refs', entries(true, false)),
  ofRefsTag: statement('count_of_refs_tag', entries(true, true)),
}

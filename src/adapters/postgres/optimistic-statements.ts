import type { AuditRow, Clock, SealedEnding } from '../../core/commit/batch.ts'
import { outcomeKeys } from '../../core/commit/idempotency.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { writtenColumns } from '../sql/version-rows.ts'
import {
  auditRecord,
  auditRows,
  endingColumns,
  outcomeRecord,
  outcomeRows,
  rowByKey,
  versionRows,
  versionTable,
} from './commit-rows.ts'
import { lists, type SqlStatement, statement } from './connection.ts'
import { notFenced } from './fence.ts'
import type { NewOutcome } from './seal-group.ts'
import { firstTagKey, placeSql, tagColumns, tagKeySql } from './tag-rows.ts'

/**
 * A whole commit in one statement: it moves the tenant's clock if that still stands where it was seen and the rows are as the
 * group assumes, and everything else is stored only if it did. A wrong assumption changes nothing.
 */

export type OptimisticCommit = {
  readonly tenantId: string
  readonly seen: Clock
  readonly next: Clock
  readonly audit: readonly AuditRow[]
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
  readonly outcomes: readonly NewOutcome[]
  /** The instant by which entries have expired. */
  readonly now: number
}

/** How many versions end. One alone is named by plain values: the plan for those is made once, and for lists every time. */
type Ends = 'none' | 'one' | 'many'
type Shape = { readonly puts: boolean; readonly ends: Ends; readonly keys: boolean }

/** Gives the next parameter of a statement. */
type Next = () => string
/** What must be so for anything to happen, and what happens then. */
type Part = { readonly condition: string; readonly effects: string }

/** Positions only rise here: an import, which may store earlier ones, takes the lock. */
const putting = (next: Next): Part => {
  const [rows, refs, counts, positions] = Array.from({ length: 4 }, next)
  return {
    condition: '',
    effects: `
        incoming as materialized (
          select r.* from advanced, json_to_recordset(${rows}::json) as r ${versionTable}),
        tagged as (
          insert into entry_tag (tenant_id, ${tagColumns})
          select $1, key::bigint, ${placeSql('incoming')}, version, nullif(recorded_position, created_position), ended_position
            from incoming, json_array_elements_text(tag_keys) as key),
        numbered as (
          insert into search_scope as s (tenant_id, memory_ref, newest, highest_position, unordered_to)
          select $1, r.memory_ref, r.count, r.position, 0
            from advanced, unnest(${refs}::text[], ${counts}::bigint[], ${positions}::bigint[]) as r (memory_ref, count, position)
              on conflict (tenant_id, memory_ref) do update
             set newest = s.newest + excluded.newest, highest_position = excluded.highest_position
          returning memory_ref as ref, newest),
        stored as (
          insert into entry_version (tenant_id, ${writtenColumns}, nth)
          select $1, ${writtenColumns}, numbered.newest - following from incoming join numbered on numbered.ref = memory_ref),`,
  }
}

/** A version that is as the group assumes: the newest one, not ended, not expired and not behind a fence. */
const isLive = (instant: string) => `v.ended_position is null
             and (v.expires_at is null or v.expires_at > ${instant})
             and ${notFenced('v')}`

/** Tags are those of the row: the process that ends it has not read them. */
const endingTags = (firstKey: string) => `
        ended_tags as (
          update entry_tag t
             set ended_position = ended.ended_position
            from ended, json_array_elements_text(ended.tags::json) as name, ${rowByKey(
              'entry_tag',
              `keyed.tag_key = ${tagKeySql(firstKey, 'ended.memory_ref', 'name')}
             and keyed.place = ${placeSql('ended')}
             and keyed.version = ended.version`,
            )} as found
           where t.tenant_id = $1
             and t.ctid = found.ctid),`

const endedColumns = 'v.memory_ref, v.tags, v.created_position, v.ordinal, v.version, v.ended_position'

const endingOne = (next: Next): Part => {
  const [ref, entry, version, position, reason, instant, firstKey = ''] = Array.from({ length: 7 }, next)
  const found = rowByKey(
    'entry_version',
    `keyed.entry_id = ${entry}
             and keyed.version = ${version}
             and (keyed.memory_ref = ${ref}) is true`,
  )
  return {
    condition: `
             and exists (select 1 from ${found} as v where ${isLive(`${instant}::bigint`)})`,
    effects: `
        ended as (
          update entry_version v
             set ended_position = ${position}, ended_reason = ${reason}
            from advanced, ${found} as found
           where v.tenant_id = $1
             and v.ctid = found.ctid
          returning ${endedColumns}),${endingTags(firstKey)}`,
  }
}

const endingMany = (next: Next): Part => {
  const [refs, entries, versions, positions, reasons, instant, count, firstKey = ''] = Array.from({ length: 8 }, next)
  const endings = `unnest(${lists(`${refs}::text`, `${entries}::text`, `${versions}::bigint`, `${positions}::bigint`, `${reasons}::text`)})
                   as ending (memory_ref, entry_id, version, position, reason)`
  const isIt = `keyed.entry_id = ending.entry_id
             and keyed.version = ending.version
             and (keyed.memory_ref = ending.memory_ref) is true`
  return {
    condition: `
             and ${count}::bigint = (
                   select count(*) from ${endings}, ${rowByKey('entry_version', isIt)} as v where ${isLive(`${instant}::bigint`)})`,
    effects: `
        ended as (
          update entry_version v
             set ended_position = ending.position, ended_reason = ending.reason
            from advanced, ${endings}, ${rowByKey('entry_version', isIt)} as found
           where v.tenant_id = $1
             and v.ctid = found.ctid
          returning ${endedColumns}),${endingTags(firstKey)}`,
  }
}

/** A key that is stored already needs its outcome: then nothing happens here. Every new key deletes a few expired ones. */
const keeping = (next: Next): Part => {
  const [keys, rows, expiredBefore, sweptMax] = Array.from({ length: 4 }, next)
  return {
    condition: `
             and not exists (
                   select 1 from idempotency k where k.tenant_id = $1 and k.key = any(${lists(`${keys}::text`)}::text[]))`,
    effects: `
        kept as (
          insert into idempotency (tenant_id, key, digest, outcome, created_at)
          select $1, key, digest, outcome, created_at from advanced, json_to_recordset(${rows}::json) as r ${outcomeRecord}),
        swept as (
          delete from idempotency
           where tenant_id = $1
             and key in (
                   select key
                     from advanced, idempotency old
                    where old.tenant_id = $1
                      and old.created_at <= ${expiredBefore}
                    order by old.created_at
                    limit ${sweptMax})),`,
  }
}

function makeStatement(shape: Shape): SqlStatement {
  let last = 7
  const next = () => `$${++last}`
  const parts = [
    ...(shape.puts ? [putting(next)] : []),
    ...(shape.ends === 'one' ? [endingOne(next)] : shape.ends === 'many' ? [endingMany(next)] : []),
    ...(shape.keys ? [keeping(next)] : []),
  ]
  return statement(
    nameOf(shape),
    `with advanced as (
          update tenant_clock
             set position = $2, last_hash = $3, last_created_at = $4
           where tenant_id = $1
             and position = $5
             and last_hash = $6${parts.map(({ condition }) => condition).join('')}
          returning position),${parts
            .map(({ effects }) => effects)
            .join('')
            .replace(/,$/, '')}
   insert into audit (tenant_id, position, at, body, hash, refs)
   select $1, r.position, r.at, r.body, r.hash, r.refs
     from advanced, json_to_recordset($7::json) as r ${auditRecord}`,
  )
}

const nameOf = ({ puts, ends, keys }: Shape) => `quick${puts ? '_puts' : ''}_ends_${ends}${keys ? '_keys' : ''}`

const statements = new Map(
  [true, false].flatMap((puts) =>
    (['none', 'one', 'many'] as const).flatMap((ends) =>
      puts || ends !== 'none'
        ? [true, false].map((keys) => [nameOf({ puts, ends, keys }), makeStatement({ puts, ends, keys })] as const)
        : [],
    ),
  ),
)

/** What to send; null when nothing is stored but keys. */
export function optimisticStatement(work: OptimisticCommit): { what: SqlStatement; values: unknown[] } | null {
  const { tenantId, seen, next, versions, endings, outcomes } = work
  const ends = endings.length === 0 ? 'none' : endings.length === 1 ? 'one' : 'many'
  const what = statements.get(nameOf({ puts: versions.length > 0, ends, keys: outcomes.length > 0 }))
  if (what === undefined) return null
  const values: unknown[] = [tenantId, next.position, next.lastHash, next.lastCreatedAt, seen.position, seen.lastHash]
  values.push(JSON.stringify(auditRows(work.audit)))
  if (versions.length > 0) {
    const { rows, refs, counts, lasts } = versionRows(tenantId, versions)
    values.push(rows, refs, counts, lasts)
  }
  const [only] = endings
  if (ends === 'many') values.push(...endingColumns(endings), work.now, endings.length, firstTagKey(tenantId))
  else if (only !== undefined)
    values.push(
      only.memoryRef,
      only.entryId,
      only.version,
      only.endedPosition,
      only.endedReason,
      work.now,
      firstTagKey(tenantId),
    )
  if (outcomes.length > 0) {
    const expiredBefore = Math.max(...outcomes.map(({ stored }) => stored.createdAt)) - limits.idempotencyHoldMs
    const keys = outcomes.flatMap(outcomeKeys)
    values.push(keys, JSON.stringify(outcomeRows(outcomes)), expiredBefore, outcomes.length * 2)
  }
  return { what, values }
}

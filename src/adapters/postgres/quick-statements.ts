import type { AuditRow, Clock, SealedEnding } from '../../core/batch.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { limits } from '../../core/limits.ts'
import {
  auditRecord,
  auditRows,
  endingColumns,
  endingTagColumns,
  outcomeRecord,
  outcomeRows,
  tagColumns,
  versionFields,
  versionRecord,
  versionRows,
} from './commit-rows.ts'
import { type Statement, statement } from './connection.ts'
import type { NewOutcome } from './seal-group.ts'

/**
 * A whole commit in one statement: it moves the tenant's clock if that still stands where it was seen, and everything else
 * is stored only if it did. Who came too late changes nothing.
 */

export type QuickWork = {
  readonly tenantId: string
  readonly seen: Clock
  readonly next: Clock
  readonly audit: readonly AuditRow[]
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
  readonly outcomes: readonly NewOutcome[]
}

/** How many versions end. One alone is named by plain values: the plan for those is made once, and for lists every time. */
type Ends = 'none' | 'one' | 'many'
type Shape = { readonly puts: boolean; readonly ends: Ends; readonly keys: boolean }

/** Gives the next parameter of a statement. */
type Next = () => string

const putting = (next: Next) => `
        incoming as materialized (
          select r.* from advanced, json_to_recordset(${next()}::json) as r ${versionRecord}),
        tagged as (
          insert into entry_tag (tenant_id, ${tagColumns})
          select $1, memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position
            from incoming, json_array_elements_text(tag_list) as tag),
        waiting as (
          insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
          select $1, memory_ref, recorded_position, place, entry_id, version from incoming),
        stored as (
          insert into entry_version (tenant_id, ${versionFields})
          select $1, ${versionFields} from incoming),`

const endingOne = (next: Next) => {
  const [ref, entry, version, position, reason, created, ordinal, tags] = Array.from({ length: 8 }, next)
  return `
        ended as (
          update entry_version v
             set ended_position = ${position}, ended_reason = ${reason}
            from advanced
           where v.tenant_id = $1
             and v.entry_id = ${entry}
             and v.version = ${version}
             and (v.memory_ref = ${ref}) is true),
        ended_tags as (
          update entry_tag t
             set ended_position = ${position}
            from advanced
           where t.tenant_id = $1
             and t.memory_ref = ${ref}
             and t.tag = any((select ${tags}::text[])::text[])
             and t.created_position = ${created}
             and t.ordinal = ${ordinal}
             and t.version = ${version}),`
}

const endingMany = (next: Next) => `
        ended as (
          update entry_version v
             set ended_position = ending.position, ended_reason = ending.reason
            from advanced,
                 unnest(${next()}::text[], ${next()}::text[], ${next()}::bigint[], ${next()}::bigint[], ${next()}::text[])
                   as ending (memory_ref, entry_id, version, position, reason)
           where v.tenant_id = $1
             and v.entry_id = ending.entry_id
             and v.version = ending.version
             and (v.memory_ref = ending.memory_ref) is true),
        ended_tags as (
          update entry_tag t
             set ended_position = ending.position
            from advanced,
                 unnest(${next()}::text[], ${next()}::text[], ${next()}::bigint[], ${next()}::bigint[], ${next()}::bigint[], ${next()}::bigint[])
                   as ending (memory_ref, tag, created_position, ordinal, version, position)
           where t.tenant_id = $1
             and t.memory_ref = ending.memory_ref
             and t.tag = ending.tag
             and t.created_position = ending.created_position
             and t.ordinal = ending.ordinal
             and t.version = ending.version),`

/** Keys that are known need a look at what they stand for: then nothing happens here. A few expired ones go with every new one. */
const keeping = (next: Next) => {
  const [keys, rows, expiredBefore, sweptMax] = Array.from({ length: 4 }, next)
  const areNew = `
             and not exists (
                   select 1 from idempotency k where k.tenant_id = $1 and k.key = any((select ${keys}::text[])::text[]))`
  const saving = `
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
                    limit ${sweptMax})),`
  return { areNew, saving }
}

function makeStatement({ puts, ends, keys }: Shape): Statement {
  let last = 7
  const next = () => `$${++last}`
  const parts = [puts ? putting(next) : '', ends === 'one' ? endingOne(next) : ends === 'many' ? endingMany(next) : '']
  const { areNew, saving } = keys ? keeping(next) : { areNew: '', saving: '' }
  return statement(
    nameOf({ puts, ends, keys }),
    `with advanced as (
          update tenant_clock
             set position = $2, last_hash = $3, last_created_at = $4
           where tenant_id = $1
             and position = $5
             and last_hash = $6${areNew}
          returning position),${[...parts, saving].join('').replace(/,$/, '')}
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
export function quickStatement(work: QuickWork): { what: Statement; values: unknown[] } | null {
  const { tenantId, seen, next, versions, endings, outcomes } = work
  const ends = endings.length === 0 ? 'none' : endings.length === 1 ? 'one' : 'many'
  const what = statements.get(nameOf({ puts: versions.length > 0, ends, keys: outcomes.length > 0 }))
  if (what === undefined) return null
  const values: unknown[] = [tenantId, next.position, next.lastHash, next.lastCreatedAt, seen.position, seen.lastHash]
  values.push(JSON.stringify(auditRows(work.audit)))
  if (versions.length > 0) values.push(JSON.stringify(versionRows(versions).map((row, place) => ({ ...row, place }))))
  if (ends === 'many') values.push(...endingColumns(endings), ...endingTagColumns(endings))
  const [only] = endings
  if (ends === 'one' && only) {
    values.push(only.memoryRef, only.entryId, only.version, only.endedPosition, only.endedReason)
    values.push(only.createdPosition, only.ordinal, only.tags)
  }
  if (outcomes.length > 0) {
    const expiredBefore = Math.max(...outcomes.map(({ stored }) => stored.createdAt)) - limits.idempotencyHoldMs
    const keys = outcomes.map(({ key }) => key)
    values.push(keys, JSON.stringify(outcomeRows(outcomes)), expiredBefore, outcomes.length * 2)
  }
  return { what, values }
}

import { clockRows, jobRows } from '../sql/rows.ts'
import { runHeadColumns } from '../sql/run-rows.ts'
import { headColumns, versionColumns, writtenColumns } from '../sql/version-rows.ts'
import { auditRecord, outcomeRecord, tagColumns, versionTable } from './commit-rows.ts'
import { statement } from './connection.ts'
import { eventNotFenced, notFenced } from './fence.ts'

/**
 * The statements of a commit. `(…) is true` around the ref keeps the planner from looking an entry up by its ref, which
 * may hold a million others: without statistics both ways look equally good to it. Rows travel as one JSON value each, so a group
 * of any size is one statement.
 */

export const lockClock = statement(
  'lock_clock',
  `select ${clockRows.columns}
     from tenant_clock
    where tenant_id = $1
      for update`,
)

export const selectHeads = statement(
  'select_heads',
  `select distinct on (v.memory_ref, v.entry_id) ${headColumns.replace(/\w+/g, 'v.$&')}
     from unnest($2::text[], $3::text[]) as wanted (memory_ref, entry_id)
     join entry_version v
       on v.tenant_id = $1
      and v.entry_id = wanted.entry_id
      and (v.memory_ref = wanted.memory_ref) is true
      and ${notFenced('v')}
    order by v.memory_ref, v.entry_id, v.version desc`,
)

export const selectOutcomes = statement(
  'select_outcomes',
  `select key, digest, outcome, created_at
     from idempotency
    where tenant_id = $1
      and key = any($2)`,
)

export const lockJobs = statement(
  'lock_jobs',
  `select ${jobRows.columns}
     from job
    where tenant_id = $1
      and job_id = any($2)
    order by job_id
      for update`,
)

export const selectRevisions = statement(
  'select_revisions',
  `select kind, id, revision
     from admin_record
    where tenant_id = $1
      and (kind, id) in (select * from unnest($2::text[], $3::text[]))`,
)

// Not locked by themselves: nothing but a commit writes runs, and the clock's lock orders those.
export const selectRunHeads = statement(
  'select_run_heads',
  `select ${runHeadColumns}
     from run
    where tenant_id = $1
      and run_id = any($2)`,
)

export const selectActive = statement(
  'select_active_runs',
  `select run_id, scope_id
     from run
    where tenant_id = $1
      and scope_id = any($2)
      and ended_at is null`,
)

// Like runs: only commits write them, and those are ordered by the clock's lock.
export const selectClaims = statement(
  'select_claim_revisions',
  'select claim_id, revision from claim where tenant_id = $1 and claim_id = any($2)',
)

/** Which of these source events are still there for everybody. */
export const selectTold = statement(
  'select_told_events',
  `select source_event_id
     from source_event e
    where tenant_id = $1
      and source_event_id = any($2)
      and erased_at is null
      and ${eventNotFenced('e')}`,
)

export const selectSourceEvents = statement(
  'select_source_names',
  `select e.service, e.event_id
     from unnest($2::text[], $3::text[]) as wanted (service, event_id)
     join source_event e
       on e.tenant_id = $1
      and e.service = wanted.service
      and e.event_id = wanted.event_id`,
)

export const insertVersions = statement(
  'insert_versions',
  `with incoming as materialized (select * from json_to_recordset($2::json) as r ${versionTable}),
        tagged as (
          insert into entry_tag (tenant_id, ${tagColumns})
          select $1, memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position
            from incoming, json_array_elements_text(tag_list) as tag)
   insert into entry_version (tenant_id, ${writtenColumns})
   select $1, ${writtenColumns} from incoming`,
)

// Arrays, not JSON: the planner takes an array for a few rows and looks each up by key.
export const endVersions = statement(
  'end_versions',
  `update entry_version v
      set ended_position = ending.position, ended_reason = ending.reason
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
       as ending (memory_ref, entry_id, version, position, reason)
    where v.tenant_id = $1
      and v.entry_id = ending.entry_id
      and v.version = ending.version
      and (v.memory_ref = ending.memory_ref) is true`,
)

export const endTags = statement(
  'end_tags',
  `update entry_tag t
      set ended_position = ending.position
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       as ending (memory_ref, tag, created_position, ordinal, version, position)
    where t.tenant_id = $1
      and t.memory_ref = ending.memory_ref
      and t.tag = ending.tag
      and t.created_position = ending.created_position
      and t.ordinal = ending.ordinal
      and t.version = ending.version`,
)

/** The audit records and the clock that now points at the last of them. */
export const advance = statement(
  'advance',
  `with recorded as (
          insert into audit (tenant_id, position, at, body, hash, refs)
          select $1, position, at, body, hash, refs
            from json_to_recordset($2::json) as r ${auditRecord})
   update tenant_clock
      set position = $3, last_hash = $4, last_created_at = $5, redaction_version = $6, history_from = $7
    where tenant_id = $1`,
)

export const saveOutcomes = statement(
  'save_outcomes',
  `insert into idempotency (tenant_id, key, digest, outcome, created_at)
   select $1, key, digest, outcome, created_at
     from json_to_recordset($2::json) as r ${outcomeRecord}
       on conflict (tenant_id, key) do update
      set digest = excluded.digest, outcome = excluded.outcome, created_at = excluded.created_at`,
)

/** A few expired keys go with every new one, so the table never holds more than a day or so of them. */
export const sweepOutcomes = statement(
  'sweep_outcomes',
  `delete from idempotency
    where tenant_id = $1
      and key in (
        select key
          from idempotency
         where tenant_id = $1
           and created_at <= $2
         order by created_at
         limit $3)`,
)

export const selectAuditHash = statement(
  'select_audit_hash',
  'select hash from audit where tenant_id = $1 and position = $2',
)

/** Versions with their texts, locked: a rewrite decides by them. */
export const lockVersions = statement(
  'lock_versions',
  `select ${versionColumns.replace(/\w+/g, 'v.$&')}
     from unnest($2::text[], $3::bigint[]) as wanted (entry_id, version)
     join entry_version v
       on v.tenant_id = $1
      and v.entry_id = wanted.entry_id
      and v.version = wanted.version
      for update of v`,
)

export const rewriteVersion = statement(
  'rewrite_version',
  `update entry_version
      set content = $4, tags = $5, salt = $6, digest_position = $7
    where tenant_id = $1
      and entry_id = $2
      and version = $3`,
)

/** Tags that held a secret are deleted as rows, not ended: their text must not stay. */
export const removeTags = statement(
  'remove_tags',
  `delete from entry_tag
    where tenant_id = $1
      and memory_ref = $2
      and created_position = $3
      and ordinal = $4
      and version = $5
      and tag = any($6)`,
)

export const addTags = statement(
  'add_tags',
  `insert into entry_tag (tenant_id, ${tagColumns})
   select $1, $2, tag, $3, $4, $5, $7, $8
     from unnest($6::text[]) as tag`,
)

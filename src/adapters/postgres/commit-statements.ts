import { clockRows } from '../sql/rows.ts'
import { auditRecord, outcomeRecord } from './commit-rows.ts'
import { statement } from './connection.ts'

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

export const selectOutcomes = statement(
  'select_outcomes',
  `select key, digest, outcome, created_at
     from idempotency
    where tenant_id = $1
      and key = any($2)`,
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

/** Every new key deletes a few expired ones, so the table never has more than a day or so of them. */
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

import { clockRows } from '../sql/rows.ts'
import { auditRecord, outcomeRecord } from './commit-rows.ts'
import { statement, tenantOfCall } from './connection.ts'

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

export const insertAudit = statement(
  'insert_audit',
  `insert into audit (tenant_id, position, at, body, hash, refs)
   select c.tenant_id, position, at, body, hash, refs
     from ${tenantOfCall}, json_to_recordset($2::json) as r ${auditRecord}`,
)

/** The clock points at the last audit record. */
export const advance = statement(
  'advance',
  `update tenant_clock
      set position = $2, last_hash = $3, last_created_at = $4, redaction_version = $5, history_from = $6
    where tenant_id = $1`,
)

export const saveOutcomes = statement(
  'save_outcomes',
  `insert into idempotency (tenant_id, key, digest, outcome, created_at)
   select c.tenant_id, key, digest, outcome, created_at
     from ${tenantOfCall}, json_to_recordset($2::json) as r ${outcomeRecord}
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

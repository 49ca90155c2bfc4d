import type { SealedAdmin } from '../../core/admin.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Row } from '../sql/row-codec.ts'
import { adminRows, lastInstantOf, refRows, tenantRows, withLastInstant } from '../sql/rows.ts'
import { accessible, accessValues } from './access.ts'
import { type Queryable, query, type Send, statement } from './connection.ts'
import { notFenced } from './fence.ts'

/** Writes administered records inside a transaction. */
export function saveAdmin(send: Send, tenantId: string, changes: readonly SealedAdmin[]): Promise<unknown>[] {
  return changes.map(({ kind, id, record }) =>
    record === null
      ? send(sql.remove, [tenantId, kind, id])
      : send(sql.put, [tenantId, kind, id, record.revision, JSON.stringify(record.body), record.updatedAt]),
  )
}

type AdminReads = Pick<
  Storage,
  'record' | 'records' | 'activeCredential' | 'refs' | 'noteKeyUse' | 'keyUses' | 'tenant' | 'tenants'
>

export function createAdminStore(pool: Queryable): AdminReads {
  return {
    async record(tenantId, kind, id) {
      const [row] = await query<Row>(pool, sql.record, [tenantId, kind, id])
      return row ? adminRows.fromRow(row) : null
    },
    async records({ tenantId, kind, after, limit }) {
      return (await query<Row>(pool, sql.records, [tenantId, kind, after, limit])).map(adminRows.fromRow)
    },
    async refs({ tenantId, after, now, limit, access }) {
      const values = [tenantId, after, now, limit]
      const rows =
        access === undefined
          ? await query<Row>(pool, sql.refs, values)
          : await query<Row>(pool, sql.accessibleRefs, [...values, ...accessValues(access)])
      return rows.map(refRows.fromRow)
    },
    async activeCredential(tenantId, kind, id) {
      const [row] = await query<Row>(pool, sql.activeCredential, [tenantId, kind, id])
      return row ? withLastInstant(adminRows.fromRow(row), row) : null
    },
    async noteKeyUse(tenantId, keyId, at) {
      await query(pool, sql.noteKeyUse, [tenantId, keyId, at])
    },
    async keyUses(tenantId, keyIds) {
      const rows = await query<{ key_id: string; last_used_at: number }>(pool, sql.keyUses, [tenantId, keyIds])
      return new Map(rows.map((row) => [row.key_id, row.last_used_at]))
    },
    async tenant(tenantId) {
      const [row] = await query<Row>(pool, sql.tenant, [tenantId])
      return row ? withLastInstant(tenantRows.fromRow(row), row) : null
    },
    async tenants({ after, limit }) {
      return (await query<Row>(pool, sql.tenants, [after, limit])).map(tenantRows.fromRow)
    },
  }
}

const refsSql = (condition: string) => `
     select memory_ref, count(*) as entries, max(created_at) as last_write_at
       from entry_version
      where tenant_id = $1
        and ended_position is null
        and (expires_at is null or expires_at > $3)
        and ($2::text is null or memory_ref > $2)
        and ${notFenced('entry_version')}
        ${condition}
      group by memory_ref
      order by memory_ref
      limit $4`

const sql = {
  put: statement(
    'put_admin',
    `insert into admin_record (tenant_id, ${adminRows.columns})
     values ($1, $2, $3, $4, $5, $6)
         on conflict (tenant_id, kind, id) do update
        set revision = excluded.revision, body = excluded.body, updated_at = excluded.updated_at`,
  ),
  remove: statement('remove_admin', 'delete from admin_record where tenant_id = $1 and kind = $2 and id = $3'),
  record: statement(
    'admin_record',
    `select ${adminRows.columns}
       from admin_record
      where tenant_id = $1
        and kind = $2
        and id = $3`,
  ),
  activeCredential: statement(
    'active_credential',
    `select ${adminRows.columns}, ${lastInstantOf('$1')}
       from admin_record
      where tenant_id = $1
        and kind = $2
        and id = $3
        and not exists (select 1 from tenant where tenant_id = $1 and status = 'disabled')`,
    { isBeforeAuth: true },
  ),
  records: statement(
    'admin_records',
    `select ${adminRows.columns}
       from admin_record
      where tenant_id = $1
        and kind = $2
        and ($3::text is null or id > $3)
      order by id
      limit $4`,
  ),
  refs: statement('refs', refsSql('')),
  accessibleRefs: statement('accessible_refs', refsSql(`and ${accessible('entry_version', '$5', '$6')}`)),
  noteKeyUse: statement(
    'note_key_use',
    `insert into key_use (tenant_id, key_id, last_used_at)
     values ($1, $2, $3)
         on conflict (tenant_id, key_id) do update
        set last_used_at = greatest(key_use.last_used_at, excluded.last_used_at)`,
  ),
  keyUses: statement('key_uses', 'select key_id, last_used_at from key_use where tenant_id = $1 and key_id = any($2)'),
  tenant: statement('tenant', `select ${tenantRows.columns}, ${lastInstantOf('$1')} from tenant where tenant_id = $1`, {
    isBeforeAuth: true,
  }),
  // Across tenants on purpose: only the operator calls it.
  tenants: statement(
    'tenants',
    `select tenant_id, status, created_at
       from tenant
      where $1::text is null or tenant_id > $1
      order by tenant_id
      limit $2`,
    { isAcrossTenants: true },
  ),
}

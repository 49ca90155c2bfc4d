import type { Database } from 'better-sqlite3'
import type { AdminRecord } from '../../core/admin.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Row } from '../sql/row-codec.ts'
import { adminRows, lastInstantOf, refRows, tenantRows, withLastInstant } from '../sql/rows.ts'
import { accessible, accessValues } from './access.ts'
import { notFenced } from './fence.ts'
import type { Scans } from './scans.ts'

type AdminReads = Pick<
  Storage,
  'record' | 'records' | 'activeCredential' | 'noteKeyUse' | 'keyUses' | 'tenant' | 'tenants'
>

export function createAdminStore(
  reader: Database,
  writer: Database,
  answer: <T>(work: () => T) => Promise<T>,
): AdminReads {
  const sql = prepare(reader, writer)
  return {
    record: (tenantId, kind, id) =>
      answer(() => {
        const row = sql.record.get(tenantId, kind, id) as Row | undefined
        return row ? adminRows.fromRow(row) : null
      }),
    records: (query) => answer((): AdminRecord[] => (sql.records.all(query) as Row[]).map(adminRows.fromRow)),
    activeCredential: (tenantId, kind, id) =>
      answer(() => {
        const row = sql.activeCredential.get(tenantId, kind, id) as Row | undefined
        return row ? withLastInstant(adminRows.fromRow(row), row) : null
      }),
    noteKeyUse: (tenantId, keyId, at) => answer(() => void sql.noteKeyUse.run(tenantId, keyId, at)),
    keyUses: (tenantId, keyIds) =>
      answer(() => {
        const rows = sql.keyUses.all(tenantId, JSON.stringify(keyIds)) as { key_id: string; last_used_at: number }[]
        return new Map(rows.map((row) => [row.key_id, row.last_used_at]))
      }),
    tenant: (tenantId) =>
      answer(() => {
        const row = sql.tenant.get(tenantId) as Row | undefined
        return row ? withLastInstant(tenantRows.fromRow(row), row) : null
      }),
    tenants: (query) => answer(() => (sql.tenants.all(query) as Row[]).map(tenantRows.fromRow)),
  }
}

/** Counts all entries of the refs of the page. */
const refsSql = (condition = '') => `
  select memory_ref, count(*) as entries, max(created_at) as last_write_at
    from entry_version
   where tenant_id = :tenantId
     and ended_position is null
     and (expires_at is null or expires_at > :now)
     and (:after is null or memory_ref > :after)
     and ${notFenced('entry_version')}
     ${condition}
   group by memory_ref
   order by memory_ref
   limit +:limit`

const allRefs = refsSql()
const accessibleRefs = refsSql(`and ${accessible('entry_version')}`)

export function createRefList(scans: Scans): Pick<Storage, 'refs'> {
  return {
    async refs({ access, ...query }) {
      const read =
        access === undefined
          ? { sql: allRefs, params: query }
          : { sql: accessibleRefs, params: { ...query, ...accessValues(access) } }
      const [rows = []] = await scans.read([read])
      return (rows as Row[]).map(refRows.fromRow)
    },
  }
}

function prepare(reader: Database, writer: Database) {
  return {
    record: reader.prepare(`
      select ${adminRows.columns}
        from admin_record
       where tenant_id = ?
         and kind = ?
         and id = ?`),
    records: reader.prepare(`
      select ${adminRows.columns}
        from admin_record
       where tenant_id = :tenantId
         and kind = :kind
         and (:after is null or id > :after)
       order by id
       limit +:limit`),
    activeCredential: reader.prepare(`
      select ${adminRows.columns}, ${lastInstantOf('admin_record.tenant_id')}
        from admin_record
       where tenant_id = ?
         and kind = ?
         and id = ?
         and not exists (select 1 from tenant where tenant.tenant_id = admin_record.tenant_id and status = 'disabled')`),
    noteKeyUse: writer.prepare(`
      insert into key_use (tenant_id, key_id, last_used_at)
      values (?, ?, ?)
          on conflict (tenant_id, key_id) do update
         set last_used_at = max(last_used_at, excluded.last_used_at)`),
    keyUses: reader.prepare(`
      select key_id, last_used_at
        from key_use
       where tenant_id = ?
         and key_id in (select value from json_each(?))`),
    tenant: reader.prepare(`
      select ${tenantRows.columns}, ${lastInstantOf('tenant.tenant_id')}
        from tenant
       where tenant_id = ?`),
    tenants: reader.prepare(`
      select tenant_id, status, created_at
        from tenant
       where :after is null or tenant_id > :after
       order by tenant_id
       limit +:limit`),
  }
}

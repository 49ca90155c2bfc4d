import { randomUUID } from 'node:crypto'
import { limits } from '../../core/limits.ts'
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'

/** Shares which tenants are active in this process, and reads those of other processes. All by the clock of the server: those of processes differ. */
export function createTenantActivity(database: Database, now = () => performance.now()) {
  const process = randomUUID()
  let sweptAt = Number.NEGATIVE_INFINITY
  return async function shareTenantActivity(tenantIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const values = [[...tenantIds], process, limits.tenantActiveMs]
    const rows = await query<{ tenant_id: string; processes: number }>(database, share, values)
    if (now() - sweptAt >= limits.tenantActivityRetentionMs) {
      sweptAt = now()
      await query(database, sweep, [limits.tenantActivityRetentionMs])
    }
    return new Map(rows.map((row) => [row.tenant_id, row.processes]))
  }
}

const serverNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** Three are enough to know for any tenant whether another one is active; the tenant that is active in most processes is among them. Rows are written in order, so that two processes do not wait for each other. */
const share = statement(
  'share_tenant_activity',
  `with stored as (
     insert into tenant_activity (tenant_id, process_id, active_at)
     select tenant_id, $2, ${serverNow} from unnest($1::text[]) as given (tenant_id) order by tenant_id
         on conflict (tenant_id, process_id) do update
        set active_at = excluded.active_at)
   select tenant_id, count(*) as processes
     from tenant_activity
    where process_id <> $2 and active_at > ${serverNow} - $3::bigint
    group by tenant_id
    order by processes desc, tenant_id
    limit 3`,
)

/** A statement of its own that skips rows that another process writes: it waits for no lock. */
const sweep = statement(
  'sweep_tenant_activity',
  `delete from tenant_activity using (
     select tenant_id, process_id from tenant_activity where active_at < ${serverNow} - $1::bigint for update skip locked
   ) as old
    where tenant_activity.tenant_id = old.tenant_id and tenant_activity.process_id = old.process_id`,
)

import type { Pool, PoolClient, QueryResult } from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { toStorageError } from './errors.ts'

/**
 * Row-level security under the conditions that every statement has anyway: a statement that forgot its tenant would see no row of another.
 * The process logs in as the owner of the tables and then gives up that role for these two, which cannot log in.
 */

/** The role of ordinary statements. It sees the rows of the tenant in `colophon.tenant`. */
export const tenantRole = 'colophon_tenant'
/** The role of statements across tenants. It sees the named columns of all tenants, and can change nothing. */
export const hostRole = 'colophon_host'

const columnsOfHost: Readonly<Record<string, string>> = {
  tenant: 'tenant_id, status, created_at',
  tenant_clock: 'tenant_id, position',
  job: 'tenant_id, status, due_at',
  run: 'tenant_id, run_id, status, ended_at, next_sequence',
  search_scope: 'tenant_id, memory_ref, newest',
  search_progress: 'tenant_id, memory_ref, indexed, rules',
}

/** Has a row for each tenant with work, without content. A worker looks for one there before it knows the tenant. */
const tablesOfAll: readonly string[] = ['job_ready']

/** The setting lasts for the session, or for the transaction that is open. */
export function sendTenant(
  client: PoolClient,
  tenantId: string,
  until: 'session' | 'transaction',
): Promise<QueryResult> {
  const what = { name: 'colophon_set_tenant', text: `select set_config('colophon.tenant', $1, $2::boolean)` }
  return client.query({ ...what, values: [tenantId, until === 'transaction'] })
}

/**
 * Citus does not accept the subquery of our policies, nor does the tenant of a transaction reach the nodes by `set_config`. It connects to a node as the
 * current role, and these cannot log in. See decision 111.
 */
export function noRowSecurity(): ColophonError {
  return new ColophonError(
    'storage_unavailable',
    'COLOPHON_DATABASE_RLS=on is for one PostgreSQL: the tables of this database are distributed. Set it to off.',
  )
}

type Table = { readonly name: string; readonly is_secured: boolean; readonly is_granted: boolean }

/**
 * Gives the database policies, or takes them away. Null: it stays as it is, and tables that a migration added get what the others have.
 * Whether rows are secured now.
 */
export async function secureRows(pool: Pool, wanted: boolean | null): Promise<boolean> {
  const client = await pool.connect()
  try {
    const tables = await tablesOf(client)
    const isWanted = wanted ?? tables.some(({ is_secured }) => is_secured)
    const changed = tables.filter((table) => (isWanted ? !isReady(table) : table.is_secured))
    if (changed.length > 0 || (isWanted && !(await hasRoles(client)))) await change(client, changed, isWanted)
    return isWanted
  } catch (error) {
    throw toStorageError(error)
  } finally {
    client.release()
  }
}

async function change(client: PoolClient, tables: readonly Table[], isWanted: boolean): Promise<void> {
  if (isWanted && !(await canHaveRoles(client)))
    throw new ColophonError(
      'storage_unavailable',
      `COLOPHON_DATABASE_RLS=on needs the roles ${tenantRole} and ${hostRole}, and this log-in is not allowed to create them. As an administrator: ` +
        `create role ${tenantRole}; create role ${hostRole}; grant ${tenantRole}, ${hostRole} to the role that the server logs in as.`,
    )
  await client.query('begin')
  try {
    // Roles belong to the whole server: two databases must not create them at the same time.
    await client.query(`select pg_advisory_xact_lock(hashtext('colophon roles'))`)
    if (isWanted) await createRoles(client)
    for (const { name } of tables) await client.query(isWanted ? securing(name) : opening(name))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function createRoles(client: PoolClient): Promise<void> {
  const { rows } = await client.query('select current_schema() as schema')
  for (const role of [tenantRole, hostRole]) {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
    if (rowCount === 0) await client.query(`create role ${role} nologin`)
    if (!(await isMember(client, role))) await client.query(`grant ${role} to current_user`)
    await client.query(`grant usage on schema "${rows[0].schema}" to ${role}`)
  }
}

/** `(select …)`: the setting is read once for a statement, not once for a row. */
const isOfTenant = `tenant_id = (select current_setting('colophon.tenant', true))`

function securing(table: string): string {
  const all = `grant select, insert, update, delete on ${table} to ${tenantRole};`
  if (tablesOfAll.includes(table)) return all
  const columns = columnsOfHost[table]
  return `${all}
    drop policy if exists ${tenantRole} on ${table};
    create policy ${tenantRole} on ${table} to ${tenantRole} using (${isOfTenant});
    ${
      columns === undefined
        ? ''
        : `grant select (${columns}) on ${table} to ${hostRole};
           drop policy if exists ${hostRole} on ${table};
           create policy ${hostRole} on ${table} for select to ${hostRole} using (true);`
    }
    alter table ${table} enable row level security;`
}

function opening(table: string): string {
  return `alter table ${table} disable row level security;
    drop policy if exists ${tenantRole} on ${table};
    drop policy if exists ${hostRole} on ${table};`
}

function isReady({ name, is_secured, is_granted }: Table): boolean {
  return is_granted && (is_secured || tablesOfAll.includes(name))
}

/** Every table with tenants. */
async function tablesOf(client: PoolClient): Promise<Table[]> {
  const { rows } = await client.query(
    `select c.relname as name, c.relrowsecurity as is_secured,
            exists (select 1 from aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee where r.rolname = $1) as is_granted
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      order by 1`,
    [tenantRole],
  )
  return rows as Table[]
}

async function hasRoles(client: PoolClient): Promise<boolean> {
  return (await isMember(client, tenantRole)) && (await isMember(client, hostRole))
}

async function canHaveRoles(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query(
    'select rolsuper or rolcreaterole as can from pg_roles where rolname = current_user',
  )
  return rows[0]?.can === true || (await hasRoles(client))
}

async function isMember(client: PoolClient, role: string): Promise<boolean> {
  const { rows } = await client.query(
    `select coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = $1), false) as is_member`,
    [role],
  )
  return rows[0]?.is_member === true
}

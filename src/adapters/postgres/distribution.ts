import type { Pool, PoolClient } from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { toStorageError } from './errors.ts'

/**
 * Tables that are distributed by tenant over several nodes, by the extension Citus. All rows of a tenant are on one node. What has no tenant, and
 * what a worker must lock across tenants, stays on the coordinator.
 */

export type TableKind = 'plain' | 'distributed' | 'reference' | 'local'
export type TableState = { readonly name: string; readonly hasTenant: boolean; readonly kind: TableKind }
export type DistributionState = { readonly hasExtension: boolean; readonly tables: readonly TableState[] }

type Call = { readonly text: string; readonly values: readonly string[] }

/** The table with one row for each tenant. The others are placed beside it. */
const anchor = 'tenant'
/** Has rows of tenants, but a worker picks one among all of them and locks it, which only one node can. */
const onCoordinator: readonly string[] = ['job_ready']

/** What a database needs to be distributed, and what a distributed one needs after a migration. Nothing for tables that are in place. */
export function distributionCalls({ tables }: DistributionState): readonly Call[] {
  const isByTenant = ({ name, hasTenant }: TableState) => hasTenant && !onCoordinator.includes(name)
  const plain = tables.filter(({ kind }) => kind === 'plain')
  const distributed = plain.filter(isByTenant).toSorted((a, b) => Number(b.name === anchor) - Number(a.name === anchor))
  return [
    ...distributed.map(({ name }) => ({
      text: `select create_distributed_table($1::regclass, 'tenant_id', colocate_with => $2)`,
      values: [name, name === anchor ? 'none' : anchor],
    })),
    // Not left to itself: the database would not know that a transaction wrote it beside one node, and a crash could lose half of that.
    ...plain
      .filter((table) => !isByTenant(table))
      .map(({ name }) => ({ text: 'select citus_add_local_table_to_metadata($1::regclass)', values: [name] })),
  ]
}

export function isDistributed({ tables }: DistributionState): boolean {
  return tables.some(({ kind }) => kind === 'distributed')
}

/** The tables of the schema, as the catalogues of PostgreSQL and of the extension have them. */
export async function readDistribution(client: Pick<PoolClient, 'query'>): Promise<DistributionState> {
  const found = await client.query(`select to_regclass('pg_dist_partition') is not null as has_extension`)
  const hasExtension = found.rows[0]?.has_extension === true
  const { rows } = await client.query(tablesSql(hasExtension))
  return { hasExtension, tables: rows.map(({ name, has_tenant, kind }) => ({ name, hasTenant: has_tenant, kind })) }
}

const tablesSql = (hasExtension: boolean) => `
  select c.relname as name,
         exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as has_tenant,
         ${
           hasExtension
             ? `case when p.partmethod is null then 'plain'
                     when p.partmethod = 'h' then 'distributed'
                     when p.repmodel = 't' then 'reference'
                     else 'local'
                end`
             : `'plain'`
         } as kind
    from pg_class c
    ${hasExtension ? 'left join pg_dist_partition p on p.logicalrelid = c.oid' : ''}
   where c.relkind in ('r', 'p')
     and c.relnamespace = current_schema()::regnamespace
   order by 1`

/** Distributes the tables that are not in place. Each call is a transaction: after a failure, the same command continues. */
export async function distributeTables(pool: Pool): Promise<DistributionState> {
  const client = await pool.connect()
  try {
    const state = await readDistribution(client)
    if (!state.hasExtension)
      throw new ColophonError(
        'distribution_unavailable',
        'The database cannot be distributed: it does not have the extension citus. Nothing was changed.',
      )
    // Moving the rows of a table takes as long as it takes.
    await client.query('set statement_timeout = 0')
    for (const { text, values } of distributionCalls(state)) await client.query(text, [...values])
    for (const { text, values } of await shardCalls(client)) await runOnShards(client, text, values)
    return await readDistribution(client)
  } catch (error) {
    throw toStorageError(error)
  } finally {
    client.release(true)
  }
}

/** Columns without statistics, or with their own storage, have these on the shards too: a migration sets them on the coordinator only. */
async function shardCalls(client: PoolClient): Promise<readonly Call[]> {
  const { rows } = await client.query(`
    select c.relname as name,
           string_agg(
             case when a.attstattarget = 0 then format('alter column %I set statistics 0', a.attname)
                  else format('alter column %I set storage %s', a.attname, ${storageName})
             end, ', ' order by a.attnum) as changes
      from pg_class c
      join pg_dist_partition p on p.logicalrelid = c.oid and p.partmethod = 'h'
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
     where c.relnamespace = current_schema()::regnamespace
       and (a.attstattarget = 0 or a.attstorage <> t.typstorage)
     group by 1
     order by 1`)
  const text = 'select count(*) as failed from run_command_on_shards($1::regclass, $2) where not success'
  return rows.map(({ name, changes }) => ({ text, values: [name, `alter table %s ${changes}`] }))
}

const storageName = `case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end`

async function runOnShards(client: PoolClient, text: string, values: readonly string[]): Promise<void> {
  const { rows } = await client.query(text, [...values])
  if (Number(rows[0]?.failed) > 0)
    throw new ColophonError(
      'storage_unavailable',
      `Some shards of ${values[0]} were not changed. Run the command again.`,
    )
}

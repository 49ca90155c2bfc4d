import type { Pool } from 'pg'
import { openPool, type Pooler, type Queryable, unnamedStatement } from './connection.ts'

/**
 * The index of vectors, where the database has the extension pgvector. It is not part of the schema that the migrations make, which needs no extension: as the
 * policies for rows, it is compared with the database at each start. `entry_vector` then has a second, shorter copy of each vector in the column `near`, in the
 * same row, so that it is deleted with it.
 */

/** The first version that continues a search while rows do not match. */
const versionMin = [0, 8]
/** The index has two bytes for each number, and a page has room for so many. */
const dimensionsMax = 4_000
/** How long it is taken for granted that an index is still missing. */
const missingMs = 10_000

const nameOf = (dimensions: number) => `entry_vector_near_${dimensions}`

/** As the owner of the tables. Whether vectors have a second copy for the index. */
export async function prepareNear(pool: Pool): Promise<boolean> {
  if (!(await hasExtension(pool))) return false
  const { rowCount } = await pool.query(`
    select from pg_attribute where attrelid = to_regclass('entry_vector') and attname = 'near' and not attisdropped`)
  if (rowCount === 0) await addColumn(pool)
  return true
}

async function hasExtension(pool: Pool): Promise<boolean> {
  const installed = async () =>
    (await pool.query(`select extversion from pg_extension where extname = 'vector'`)).rows[0]
  const available = async () => (await pool.query(`select from pg_available_extensions where name = 'vector'`)).rowCount
  // It fails where the log-in is not allowed to do this, or another process does it at the same time.
  if (!(await installed()) && (await available())) await pool.query('create extension vector').catch(() => {})
  const [major = 0, minor = 0] = String((await installed())?.extversion ?? '')
    .split('.')
    .map(Number)
  return major > (versionMin[0] ?? 0) || minor >= (versionMin[1] ?? 0)
}

/** All texts are examined again: what has a vector gets its copy, without a call of the embedder. */
async function addColumn(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`begin;
      alter table entry_vector add column if not exists near halfvec;
      alter table entry_vector alter column near set statistics 0;
      create index if not exists entry_vector_without_near on entry_vector (tenant_id, memory_ref) where near is null;
      update vector_progress set position = 0;
      commit`)
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

export type NearIndex = {
  /** Makes the index for vectors of a length, unless it is there. Without the right to do this, search compares vectors one by one. */
  ensure(dimensions: number): Promise<void>
  isReady(dimensions: number): Promise<boolean>
}

export function createNearIndex(database: Queryable, url: string, pooler: Pooler): NearIndex {
  const ready = new Set<number>()
  const missingSince = new Map<number, number>()

  async function isReady(dimensions: number): Promise<boolean> {
    if (ready.has(dimensions)) return true
    if (performance.now() - (missingSince.get(dimensions) ?? Number.NEGATIVE_INFINITY) < missingMs) return false
    missingSince.set(dimensions, performance.now())
    const { rows } = await database.send(unnamedStatement(isValid), [dimensions, nameOf(dimensions)])
    if (rows[0]?.is_valid === true) ready.add(dimensions)
    return ready.has(dimensions)
  }

  return {
    isReady,
    async ensure(dimensions) {
      if (dimensions > dimensionsMax || (await isReady(dimensions))) return
      const pool = openPool(url, 1, pooler)
      try {
        await build(pool, dimensions, pooler)
        missingSince.delete(dimensions)
      } catch {
        // Not allowed, or another process builds it: searches find out when it is there.
      } finally {
        await pool.end()
      }
    },
  }
}

/** Without holding up writes. A build that was interrupted leaves an invalid index, which is made again. */
async function build(pool: Pool, dimensions: number, pooler: Pooler): Promise<void> {
  const name = nameOf(dimensions)
  const [row] = (await pool.query(isValid, [dimensions, name])).rows
  if (row?.is_building) return
  // Behind a pooler the session is not ours, and has no limit of ours.
  if (pooler === 'none') await pool.query('set statement_timeout = 0')
  if (row?.is_valid === false) await pool.query(`drop index concurrently if exists ${name}`)
  await pool.query(`
    create index concurrently if not exists ${name}
        on entry_vector using hnsw ((near::halfvec(${dimensions})) halfvec_ip_ops)
     where dimensions = ${dimensions}`)
}

const isValid = `
  select i.indisvalid as is_valid,
         exists (select from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as is_building
    from pg_index i
   where $1::bigint > 0
     and i.indexrelid = to_regclass($2)`

/** Settings of one search. Of the ways to the rows of a ref in their order only the index is left. */
export const nearSettings = unnamedStatement(`
  select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true),
         set_config('hnsw.max_scan_tuples', '10000', true),
         set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
         set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),
         set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`)

import type { LogStore } from '../../ports/log-store.ts'
import { type Queryable, query, statement, tenantOfCall } from './connection.ts'

export function createLogStore(pool: Queryable): LogStore {
  return {
    async recordHashes(tenantId, from, to) {
      return (await query<{ hash: string }>(pool, sql.hashes, [tenantId, from, to])).map(({ hash }) => hash)
    },
    async tileCount(tenantId, level) {
      const [row] = await query<{ tile: number | null }>(pool, sql.last, [tenantId, level])
      return (row?.tile ?? -1) + 1
    },
    async tileRoots(tenantId, level, from, to) {
      return (await query<{ root: string }>(pool, sql.roots, [tenantId, level, from, to])).map(({ root }) => root)
    },
    async saveTileRoots(tenantId, roots) {
      await query(pool, sql.save, [tenantId, JSON.stringify(roots)])
    },
  }
}

const sql = {
  hashes: statement(
    'log_record_hashes',
    `select hash
       from audit
      where tenant_id = $1
        and position between $2 and $3
      order by position`,
  ),
  last: statement('last_log_tile', 'select max(tile) as tile from log_tile where tenant_id = $1 and level = $2'),
  roots: statement(
    'log_tile_roots',
    `select root
       from log_tile
      where tenant_id = $1
        and level = $2
        and tile between $3 and $4
      order by tile`,
  ),
  // In one order, so that two processes that build the same tiles do not wait for each other in a circle.
  save: statement(
    'save_log_tiles',
    `insert into log_tile (tenant_id, level, tile, root)
     select c.tenant_id, level, tile, root
       from ${tenantOfCall}, json_to_recordset($2::json) as r (level bigint, tile bigint, root text)
      order by level, tile
         on conflict do nothing`,
  ),
}

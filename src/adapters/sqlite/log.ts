import type { Database } from 'better-sqlite3'
import type { LogStore } from '../../ports/log-store.ts'
import { unflushed } from './unflushed.ts'

export function createLogStore(reader: Database, writer: Database, answer: <T>(work: () => T) => Promise<T>): LogStore {
  const hashes = reader
    .prepare('select hash from audit where tenant_id = ? and position between ? and ? order by position')
    .pluck()
  const last = reader.prepare('select max(tile) from log_tile where tenant_id = ? and level = ?').pluck()
  const roots = reader
    .prepare('select root from log_tile where tenant_id = ? and level = ? and tile between ? and ? order by tile')
    .pluck()
  const insert = writer.prepare(`
    insert into log_tile (tenant_id, level, tile, root)
    select ?, value ->> 'level', value ->> 'tile', value ->> 'root' from json_each(?) where true
        on conflict do nothing`)
  return {
    recordHashes: (tenantId, from, to) => answer(() => hashes.all(tenantId, from, to) as string[]),
    tileCount: (tenantId, level) => answer(() => ((last.get(tenantId, level) as number | null) ?? -1) + 1),
    tileRoots: (tenantId, level, from, to) => answer(() => roots.all(tenantId, level, from, to) as string[]),
    saveTileRoots: (tenantId, given) =>
      answer(() => void unflushed(writer, () => insert.run(tenantId, JSON.stringify(given)))),
  }
}

import pg from 'pg'
import { firstTagKey, tagKeys, tagPlace } from '../src/adapters/postgres/tag-rows.ts'
import { versionColumns } from '../src/adapters/sql/version-rows.ts'
import { memoryRef, type RawEntry } from './entries.ts'
import { auditDelete, auditPut, type RawAudit, type RawScope, scopeOf } from './raw-audit.ts'

type ClockRow = { position: number; last_hash: string; last_created_at: number }
type HeadRow = { version: number; tags: string; created_position: number; ordinal: number }
export type RawPostgres = Awaited<ReturnType<typeof openRawPostgres>>

const connectionsMax = 16
const int8 = 20
const origin = JSON.stringify({ kind: 'api' })
const columns = versionColumns.replace(/\w+/g, 'v.$&')

/** The yardstick: one transaction per put on a pool of the same size, statements prepared by name, each awaited. */
export async function openRawPostgres(connectionString: string) {
  const pool = new pg.Pool({
    connectionString,
    max: connectionsMax,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  } as pg.PoolConfig)
  const { rows } = await pool.query<{ tenant_id: string; mac_key: Uint8Array }>('select tenant_id, mac_key from tenant')
  const scopes = new Map<string, RawScope>(rows.map((row) => [row.tenant_id, scopeOf(row.tenant_id, row.mac_key)]))

  type Step = (client: pg.PoolClient, at: number, clock: ClockRow) => Promise<RawAudit>

  /** One transaction: locks the clock, does the work, and stores the audit record and the clock. */
  async function commit(tenantId: string, step: (scope: RawScope) => Step): Promise<void> {
    const scope = scopes.get(tenantId)
    if (!scope) throw new Error(`The benchmark did not make the tenant ${tenantId}.`)
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<ClockRow>({ ...sql.lockClock, values: [tenantId] })
      const clock = rows[0] as ClockRow
      const position = clock.position + 1
      const at = Math.max(Date.now(), clock.last_created_at)
      const { body, hash, refs } = await step(scope)(client, at, { ...clock, position })
      await client.query({ ...sql.insertAudit, values: [tenantId, position, at, body, hash, refs] })
      await client.query({ ...sql.updateClock, values: [tenantId, position, hash, at] })
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

  const put = (tenantId: string, entry: RawEntry) =>
    commit(tenantId, (scope) => async (client, at, { position, last_hash }) => {
      const numbered = await client.query<{ newest: number }>({
        ...sql.number,
        values: [tenantId, memoryRef, position],
      })
      const nth = numbered.rows[0]?.newest
      // biome-ignore format: one row, in the order of the statement
      await client.query({ ...sql.insertVersion, values: [tenantId, memoryRef, entry.id, 1, entry.content,
        JSON.stringify(entry.tags), entry.salt, at, null, position, 0, position, null, origin, null, null, nth] })
      await client.query({
        ...sql.insertTags,
        values: [tenantId, tagKeys(firstTagKey(tenantId), { memoryRef, tags: entry.tags }), tagPlace(position, 0)],
      })
      return auditPut(scope, [entry], position, at, last_hash)
    })

  const remove = (tenantId: string, id: string) =>
    commit(tenantId, (scope) => async (client, at, { position, last_hash }) => {
      const { rows } = await client.query<HeadRow>({ ...sql.head, values: [tenantId, memoryRef, id] })
      const head = rows[0] as HeadRow
      await client.query({ ...sql.endVersion, values: [tenantId, id, head.version, position] })
      const keys = tagKeys(firstTagKey(tenantId), { memoryRef, tags: JSON.parse(head.tags) })
      const place = tagPlace(head.created_position, head.ordinal)
      await client.query({ ...sql.endTags, values: [tenantId, keys, place, head.version, position] })
      return auditDelete(scope, id, position, at, last_hash)
    })

  return {
    put,
    delete: remove,
    get: (tenantId: string, id: string) =>
      pool.query({ ...sql.get, values: [tenantId, memoryRef, id, Date.now(), Number.MAX_SAFE_INTEGER] }),
    list: (tenantId: string, limit: number) =>
      // biome-ignore format: in the order of the statement
      pool.query({ ...sql.list, values: [tenantId, memoryRef, Date.now(), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, limit] }),
    close: () => pool.end(),
  }
}

const sql = {
  lockClock: {
    name: 'lock_clock',
    text: `
      select position, last_hash, last_created_at, redaction_version
        from tenant_clock
       where tenant_id = $1
         for update`,
  },
  insertVersion: {
    name: 'insert_version',
    text: `
      insert into entry_version (tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at,
        expires_at, created_position, ordinal, recorded_position, subject, origin, run_id, run_sequence, nth)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
  },
  number: {
    name: 'number',
    text: `
      insert into search_scope as s (tenant_id, memory_ref, newest, highest_position, unordered_to)
      values ($1, $2, 1, $3, 0)
          on conflict (tenant_id, memory_ref) do update
         set newest = s.newest + 1, highest_position = excluded.highest_position
      returning newest`,
  },
  insertTags: {
    name: 'insert_tags',
    text: `
      insert into entry_tag (tenant_id, tag_key, place, version)
      select $1, key, $3, 1
        from unnest($2::bigint[]) as key`,
  },
  head: {
    name: 'head',
    text: `
      select version, tags, created_position, ordinal, ended_position
        from entry_version
       where tenant_id = $1
         and (memory_ref = $2) is true
         and entry_id = $3
       order by version desc
       limit 1`,
  },
  endVersion: {
    name: 'end_version',
    text: `
      update entry_version
         set ended_position = $4, ended_reason = 'deleted'
       where tenant_id = $1
         and entry_id = $2
         and version = $3`,
  },
  endTags: {
    name: 'end_tags',
    text: `
      update entry_tag
         set ended_position = $5
       where tenant_id = $1
         and tag_key = any($2)
         and place = $3
         and version = $4`,
  },
  insertAudit: {
    name: 'insert_audit',
    text: `
      insert into audit (tenant_id, position, at, body, hash, refs)
      values ($1, $2, $3, $4, $5, $6)`,
  },
  updateClock: {
    name: 'update_clock',
    text: `
      update tenant_clock
         set position = $2, last_hash = $3, last_created_at = $4
       where tenant_id = $1`,
  },
  get: {
    name: 'get',
    text: `
      select ${columns}
        from entry_version v
       where v.tenant_id = $1
         and (v.memory_ref = $2) is true
         and v.entry_id = $3
         and (v.expires_at is null or v.expires_at > $4)
         and v.recorded_position <= $5
         and (v.ended_position is null or v.ended_position > $5)`,
  },
  list: {
    name: 'list',
    text: `
      select c.position as at_position, v.*
        from tenant_clock c
        left join lateral (
          select ${columns}
            from entry_version v
           where v.tenant_id = $1
             and v.memory_ref = $2
             and v.ended_position is null
             and (v.created_position, v.ordinal) < ($4, $5)
             and (v.expires_at is null or v.expires_at > $3)
           order by v.created_position desc, v.ordinal desc
           limit $6) v on true
       where c.tenant_id = $1
       order by v.created_position desc, v.ordinal desc`,
  },
}

import { tagKey } from '../../src/adapters/postgres/tag-rows.ts'
import type { TenantMemory } from '../../src/app/tenant.ts'
import { genesisHash } from '../../src/core/audit/audit.ts'

export const firstTenant = 'first'
const memoryRef = 'log'
const entryId = 'mem_first'
const place = { created_position: 0, ordinal: 0, version: 1, recorded_position: 0 }

const rows: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  tenant: { mac_key: Buffer.alloc(32, 7), created_at: 1 },
  tenant_clock: { position: 0, last_hash: genesisHash, last_created_at: 0, redaction_version: 1 },
  entry_version: {
    ...place,
    memory_ref: memoryRef,
    entry_id: entryId,
    content: 'from before',
    tags: '["kept"]',
    salt: 'salt',
    created_at: 1,
    origin: '{"kind":"api"}',
  },
  entry_tag: { ...place, memory_ref: memoryRef, tag: 'kept' },
  idempotency: { key: 'first-key', digest: 'digest', outcome: '{}', created_at: 1 },
}

/** Rows that a program could have stored after migration 1, by table. Every later migration must keep them. */
export const firstRows: readonly { readonly table: string; readonly row: Readonly<Record<string, unknown>> }[] =
  Object.entries(rows).map(([table, row]) => ({ table, row: { tenant_id: firstTenant, ...row } }))

/** The rows as PostgreSQL has them today. */
export const firstRowsInPostgres = firstRows.map((one) =>
  one.table === 'entry_tag'
    ? {
        table: 'entry_tag',
        row: {
          ...{ tenant_id: firstTenant, tag_key: tagKey(firstTenant, memoryRef, 'kept'), place: 0, version: 1 },
          recorded_position: null,
        },
      }
    : one,
)

/** What a reader sees of these rows. */
export async function readFirst(memory: TenantMemory): Promise<Record<'byId' | 'byTag' | 'byWords', unknown>> {
  const byId = await memory.get(memoryRef, entryId)
  const { entries } = await memory.list(memoryRef, { tag: 'kept' })
  const { results } = await memory.search(memoryRef, 'before', { tag: 'kept' })
  return { byId: byId?.content, byTag: entries.map(({ id }) => id), byWords: results.map(({ entry }) => entry.id) }
}

export const firstAsRead = { byId: 'from before', byTag: [entryId], byWords: [entryId] }

import type { TenantMemory } from '../../src/app/tenant.ts'
import { genesisHash } from '../../src/core/audit.ts'

/** Rows that an earlier version could have left behind, by the migration that made their table. */
type OldRow = { readonly since: number; readonly table: string; readonly row: Readonly<Record<string, unknown>> }

export const oldTenant = 'old'
const memoryRef = 'log'
const entryId = 'mem_old'
const place = { created_position: 0, ordinal: 0, version: 1, recorded_position: 0 }

const oldRows: readonly OldRow[] = [
  { since: 1, table: 'tenant', row: { mac_key: Buffer.alloc(32, 7), created_at: 1 } },
  {
    since: 1,
    table: 'tenant_clock',
    row: { position: 0, last_hash: genesisHash, last_created_at: 0, redaction_version: 1 },
  },
  {
    since: 1,
    table: 'entry_version',
    row: {
      ...place,
      memory_ref: memoryRef,
      entry_id: entryId,
      content: 'from before',
      tags: '["kept"]',
      salt: 'salt',
      created_at: 1,
      origin: '{"kind":"api"}',
    },
  },
  { since: 1, table: 'entry_tag', row: { ...place, memory_ref: memoryRef, tag: 'kept' } },
  {
    since: 9,
    table: 'search_waiting',
    row: { memory_ref: memoryRef, recorded_position: 0, place: 1, entry_id: entryId, version: 1 },
  },
  { since: 3, table: 'idempotency', row: { key: 'old-key', digest: 'digest', outcome: '{}', created_at: 1 } },
]

/** Those that fit a database that stands at the given migration. */
export function oldRowsAt(migration: number) {
  return oldRows
    .filter(({ since }) => since <= migration)
    .map(({ table, row }) => ({ table, row: { tenant_id: oldTenant, ...row } as Record<string, unknown> }))
}

/** What a reader sees of the old rows. */
export async function readOld(memory: TenantMemory): Promise<Record<'byId' | 'byTag' | 'byWords', unknown>> {
  const byId = await memory.get(memoryRef, entryId)
  const { entries } = await memory.list(memoryRef, { tag: 'kept' })
  const { results } = await memory.search(memoryRef, 'before', { tag: 'kept' })
  return { byId: byId?.content, byTag: entries.map(({ id }) => id), byWords: results.map(({ entry }) => entry.id) }
}

export const oldAsRead = { byId: 'from before', byTag: [entryId], byWords: [entryId] }

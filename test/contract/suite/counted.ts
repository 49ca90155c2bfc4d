import assert from 'node:assert/strict'
import { isColophonError } from '../../../src/core/errors.ts'
import {
  bytesOfAssertion,
  bytesOfCall,
  bytesOfEvent,
  bytesOfRecord,
  bytesOfRun,
  bytesOfSource,
  bytesOfVersion,
  type CountedTable,
} from '../../../src/core/quotas/stored-bytes.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import type { RowKey, StoredTable, StoredTables } from '../../../src/ports/stored-rows.ts'

/** What a store counts of a table, in pages. */
export async function otherBytesOf(
  storage: Pick<Storage, 'stats'>,
  tenantId: string,
  table: CountedTable,
  limit = 1_000,
): Promise<number> {
  let bytes = 0
  for (let after: RowKey | null = null; ; ) {
    const page = await storage.stats.bytes({ tenantId, table, after, limit })
    bytes += page.bytes
    if (page.next === null) return bytes
    after = page.next
  }
}

/** The tables whose rows can be read as they are stored, and what each of their rows counts. */
const sizes: { readonly [Table in StoredTable]?: (row: StoredTables[Table]) => number } = {
  sourceEvents: ({ event }) => bytesOfSource(event),
  records: bytesOfRecord,
  runs: bytesOfRun,
  runEvents: bytesOfEvent,
  runCalls: bytesOfCall,
  assertions: bytesOfAssertion,
}

/** What the store counts for the quota of bytes is what its rows have, one by one. */
export async function assertCounted(storage: Storage, tenantId: string): Promise<void> {
  const clock = await storage.clock(tenantId).catch((error: unknown) => {
    if (isColophonError(error, 'closed')) return null
    throw error
  })
  if (clock === null) return
  const snapshot = await storage.snapshot(tenantId)
  try {
    const bytesOf = async <Table extends StoredTable>(table: Table, size: (row: StoredTables[Table]) => number) => {
      const rows = await snapshot.rows.page(table, { tenantId, after: null, limit: 100_000 })
      return rows.reduce((sum, { row }) => sum + (row === null ? 0 : size(row)), 0)
    }
    for (const [table, size] of Object.entries(sizes)) {
      const stored = await bytesOf(table as StoredTable, size as (row: unknown) => number)
      assert.equal(await otherBytesOf(storage, tenantId, table as CountedTable), stored, table)
    }
    const { bytes } = await storage.stats.growth({ tenantId, after: 0, to: Number.MAX_SAFE_INTEGER })
    assert.equal(bytes, await bytesOf('versions', bytesOfVersion), 'versions')
  } finally {
    await snapshot.close()
  }
}

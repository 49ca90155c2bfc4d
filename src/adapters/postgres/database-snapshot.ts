import { limits } from '../../core/limits.ts'
import type { SnapshotCounts, StorageSnapshot } from '../../ports/database-snapshot.ts'
import { sourceEventRows, toSourceEvent } from '../sql/provenance-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { createAdminStore } from './admin.ts'
import { createCompactionStore } from './compactions.ts'
import { query, statement, unnamedStatement } from './connection.ts'
import type { Database } from './database.ts'
import { toStorageError } from './errors.ts'
import { claimNotFenced, eventNotFenced, notFenced } from './fence.ts'
import { firstEventsUpTo } from './first-up-to.ts'
import { createProvenanceStore } from './provenance.ts'
import { createReader } from './read.ts'
import { readStatements } from './read-statements.ts'
import { schemaDifferences } from './schema.ts'
import { createStoredRows } from './stored-rows.ts'

/** One connection with one transaction. A reader that stops reading is cut off by the server's own time limit. */
export async function openSnapshot(database: Database, tenantId: string): Promise<StorageSnapshot> {
  const session = await database.keep('exports').catch((error: unknown) => {
    throw toStorageError(error)
  })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    const isBroken = await session.send(unnamedStatement('rollback'), []).then(
      () => false,
      () => true,
    )
    session.release(isBroken)
  }
  try {
    await session.begin(' isolation level repeatable read read only')
    // The moment is that of the first statement. It reads a row of the tenant, because where tables are distributed each node has its own moment.
    await query(session, readStatements.clock, [tenantId])
  } catch (error) {
    await close()
    throw toStorageError(error)
  }
  const read = createReader(session)
  const provenance = createProvenanceStore(session)
  const compactions = createCompactionStore(session)
  const admin = createAdminStore(session)
  return {
    clock: read.clock,
    scanVersions: read.scanVersions,
    audit: read.audit,
    records: admin.records,
    tenant: admin.tenant,
    rows: createStoredRows(session),
    schemaDifferences: () => schemaDifferences(session),
    claims: provenance.claims,
    assertions: provenance.assertions,
    assertionsOfClaims: provenance.assertionsOfClaims,
    compactions: compactions.list,
    compactionSources: compactions.sources,
    async sourceEvents({ tenantId, about, after, limit }) {
      const rows = await query<Row>(session, selectEvents, [
        ...[tenantId, about, after ?? '', limit],
        limits.pageCharactersMax,
      ])
      return rows.map(toSourceEvent)
    },
    async counts(tenantId, { memoryRef, subject, about }) {
      const [row] = await query<SnapshotCounts>(session, selectCounts, [tenantId, memoryRef, subject, about])
      return row ?? { versions: 0, sourceEvents: 0, claims: 0, compactions: 0 }
    },
    close,
  }
}

const selectEvents = statement(
  'scan_source_events',
  firstEventsUpTo(
    '$5',
    `select ${sourceEventRows.columns}, 0 as is_erased, 0 as is_held_up
       from source_event
      where tenant_id = $1
        and ($2::text is null or subject = $2)
        and source_event_id > $3
        and erased_at is null
        and ${eventNotFenced('source_event')}
      order by source_event_id
      limit $4`,
  ),
)

const selectCounts = statement(
  'snapshot_counts',
  `select (select count(*) from entry_version where tenant_id = $1 and ${notFenced('entry_version')}
              and ($2::text is null or memory_ref = $2) and ($3::text is null or subject = $3)) as versions,
          (select count(*) from source_event where tenant_id = $1 and erased_at is null
              and ${eventNotFenced('source_event')} and ($4::text is null or subject = $4)) as "sourceEvents",
          (select count(*) from claim where tenant_id = $1 and ${claimNotFenced('claim')} and ($4::text is null or subject = $4)) as claims,
          (select count(*) from compaction where tenant_id = $1 and ($2::text is null or memory_ref = $2)) as compactions`,
)

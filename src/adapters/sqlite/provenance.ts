import type { Database } from 'better-sqlite3'
import type { Sealed } from '../../core/batch.ts'
import type { ProvenanceStore } from '../../ports/provenance-store.ts'
import {
  type AssertionRow,
  assertionColumns,
  type ClaimRow,
  claimColumns,
  type SourceEventRow,
  sourceEventColumns,
  toAssertion,
  toAssertionRow,
  toClaim,
  toClaimRow,
  toRewriteRow,
  toSourceEvent,
  toSourceEventRow,
} from '../provenance-rows.ts'
import { toVersion, type VersionRow, versionColumns } from '../rows.ts'
import { afterEveryId } from '../run-rows.ts'

/** Source events and claims as the committer needs them: inside a transaction that is already open. */
export type ProvenanceTable = ReturnType<typeof createProvenanceTable>

export function createProvenanceTable(db: Database) {
  const sql = prepareWrites(db)
  return {
    revision(tenantId: string, claimId: string): number {
      return (sql.revision.get(tenantId, claimId) as number | undefined) ?? 0
    },
    hasSourceEvent(tenantId: string, service: string, eventId: string): boolean {
      return sql.named.get(tenantId, service, eventId) !== undefined
    },
    save(tenantId: string, { sourceEvents, payloadsRedacted, sourceRewrites, claims }: Sealed): void {
      for (const event of sourceEvents) sql.insertEvent.run({ tenantId, ...toSourceEventRow(event) })
      for (const id of payloadsRedacted) sql.redactPayload.run(tenantId, id)
      for (const event of sourceRewrites) sql.rewriteEvent.run({ tenantId, ...toRewriteRow(event) })
      for (const { claim, assertions, withdrawn, repriced, erased, restated } of claims) {
        sql.saveClaim.run({ tenantId, ...toClaimRow(claim) })
        for (const key of withdrawn) sql.withdraw.run(claim.updatedPosition, tenantId, claim.claimId, key)
        for (const { ordinal, content } of restated) sql.restate.run(content, tenantId, claim.claimId, ordinal)
        for (const key of erased) sql.erase.run(tenantId, claim.claimId, key)
        for (const { service, priority } of repriced) sql.reprice.run(priority, tenantId, claim.claimId, service)
        for (const assertion of assertions) sql.insertAssertion.run({ tenantId, ...toAssertionRow(assertion) })
      }
    },
  }
}

export function createProvenanceStore(db: Database, answer: <T>(work: () => T) => Promise<T>): ProvenanceStore {
  const sql = prepareReads(db)
  const event = (row: unknown) => (row ? toSourceEvent(row as SourceEventRow) : null)
  const events = (rows: unknown[]) => (rows as SourceEventRow[]).map(toSourceEvent)
  const versions = (rows: unknown[]) => (rows as VersionRow[]).map(toVersion)
  const assertions = (rows: unknown[]) => (rows as AssertionRow[]).map(toAssertion)
  return {
    sourceEvent: (tenantId, id) => answer(() => event(sql.event.get(tenantId, id))),
    sourceEventNamed: (tenantId, service, eventId) => answer(() => event(sql.named.get(tenantId, service, eventId))),
    sourceEvents: ({ after, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? afterEveryId }
        return events((query.subject === null ? sql.events : sql.eventsOfSubject).all(page))
      }),
    keptPayloads: ({ after, ...query }) => answer(() => events(sql.kept.all({ ...query, after: after ?? '' }))),
    claim: (tenantId, claimId) =>
      answer(() => {
        const row = sql.claim.get(tenantId, claimId) as ClaimRow | undefined
        return row ? toClaim(row) : null
      }),
    claims: ({ after, isContested, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? '', contested: isContested === null ? null : isContested ? 1 : 0 }
        const list = isContested === true ? sql.contested : query.subject === null ? sql.claims : sql.claimsOfSubject
        return (list.all(page) as ClaimRow[]).map(toClaim)
      }),
    assertions: (tenantId, claimId) => answer(() => assertions(sql.assertions.all(tenantId, claimId))),
    assertionsOfEvent: (tenantId, id) => answer(() => assertions(sql.assertionsOfEvent.all(tenantId, id))),
    newestVersions: (tenantId, entryIds) =>
      answer(() =>
        [...new Set(entryIds)].flatMap((id) => {
          const row = sql.newest.get(tenantId, id)
          return row ? versions([row]) : []
        }),
      ),
    entryVersions: (tenantId, entryId) => answer(() => versions(sql.entryVersions.all(tenantId, entryId))),
    listAll: ({ before, ...query }) =>
      answer(() => {
        const from = before ?? { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }
        const place = { fromPosition: from.createdPosition, fromOrdinal: from.ordinal }
        return versions(sql.listAll.all({ ...query, ...place }))
      }),
  }
}

const named = (columns: string) => columns.replace(/\w+/g, ':$&')

function prepareWrites(db: Database) {
  return {
    revision: db.prepare('select revision from claim where tenant_id = ? and claim_id = ?').pluck(),
    named: db.prepare('select 1 from source_event where tenant_id = ? and service = ? and event_id = ?'),
    insertEvent: db.prepare(`
      insert into source_event (tenant_id, ${sourceEventColumns})
      values (:tenantId, ${named(sourceEventColumns)})`),
    redactPayload: db.prepare('update source_event set messages = null where tenant_id = ? and source_event_id = ?'),
    rewriteEvent: db.prepare(`
      update source_event
         set scope = :scope, evidence = :evidence, metadata = :metadata, messages = :messages
       where tenant_id = :tenantId
         and source_event_id = :source_event_id`),
    restate: db.prepare('update assertion set content = ? where tenant_id = ? and claim_id = ? and ordinal = ?'),
    saveClaim: db.prepare(`
      insert into claim (tenant_id, ${claimColumns})
      values (:tenantId, ${named(claimColumns)})
          on conflict (tenant_id, claim_id) do update
         set revision = excluded.revision, winner = excluded.winner, is_contested = excluded.is_contested,
             pin = excluded.pin, updated_position = excluded.updated_position`),
    withdraw: db.prepare(`
      update assertion
         set withdrawn_position = ?
       where tenant_id = ?
         and claim_id = ?
         and content_key = ?
         and withdrawn_position is null`),
    erase: db.prepare("update assertion set content = '' where tenant_id = ? and claim_id = ? and content_key = ?"),
    reprice: db.prepare('update assertion set priority = ? where tenant_id = ? and claim_id = ? and service = ?'),
    insertAssertion: db.prepare(`
      insert into assertion (tenant_id, ${assertionColumns})
      values (:tenantId, ${named(assertionColumns)})`),
  }
}

function prepareReads(db: Database) {
  return {
    event: db.prepare(`select ${sourceEventColumns} from source_event where tenant_id = ? and source_event_id = ?`),
    named: db.prepare(`
      select ${sourceEventColumns}
        from source_event
       where tenant_id = ?
         and service = ?
         and event_id = ?`),
    events: db.prepare(`
      select ${sourceEventColumns}
        from source_event
       where tenant_id = :tenantId
         and :subject is null
         and service is not null
         and (:service is null or service = :service)
         and source_event_id < :after
       order by source_event_id desc
       limit :limit`),
    eventsOfSubject: db.prepare(`
      select ${sourceEventColumns}
        from source_event indexed by source_event_by_subject
       where tenant_id = :tenantId
         and subject = :subject
         and service is not null
         and (:service is null or service = :service)
         and source_event_id < :after
       order by source_event_id desc
       limit :limit`),
    kept: db.prepare(`
      select ${sourceEventColumns}
        from source_event indexed by source_event_kept
       where tenant_id = :tenantId
         and messages is not null
         and received_at < :receivedBefore
         and source_event_id > :after
       order by source_event_id
       limit :limit`),
    claim: db.prepare(`select ${claimColumns} from claim where tenant_id = ? and claim_id = ?`),
    claims: db.prepare(`
      select ${claimColumns}
        from claim
       where tenant_id = :tenantId
         and :subject is null
         and (:contested is null or is_contested = :contested)
         and claim_id > :after
       order by claim_id
       limit :limit`),
    claimsOfSubject: db.prepare(`
      select ${claimColumns}
        from claim indexed by claim_by_subject
       where tenant_id = :tenantId
         and subject = :subject
         and (:contested is null or is_contested = :contested)
         and claim_id > :after
       order by claim_id
       limit :limit`),
    contested: db.prepare(`
      select ${claimColumns}
        from claim indexed by claim_contested
       where tenant_id = :tenantId
         and is_contested = 1
         and :contested = 1
         and (:subject is null or subject = :subject)
         and claim_id > :after
       order by claim_id
       limit :limit`),
    assertions: db.prepare(`
      select ${assertionColumns}
        from assertion
       where tenant_id = ?
         and claim_id = ?
       order by ordinal`),
    assertionsOfEvent: db.prepare(`
      select ${assertionColumns}
        from assertion
       where tenant_id = ?
         and source_event_id = ?
       order by candidate`),
    newest: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and entry_id = ?
       order by version desc
       limit 1`),
    entryVersions: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and entry_id = ?
       order by version`),
    listAll: db.prepare(`
      select ${versionColumns}
        from entry_version v indexed by entry_version_by_age
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and (created_position, ordinal) < (:fromPosition, :fromOrdinal)
         and recorded_position <= :position
         and (expires_at is null or expires_at > :now)
         and (ended_position is null or ended_position > :position or ended_reason in ('superseded', 'archived'))
         and not exists (
               select 1
                 from entry_version later
                where later.tenant_id = v.tenant_id
                  and later.entry_id = v.entry_id
                  and later.version > v.version
                  and later.recorded_position <= :position)
       order by created_position desc, ordinal desc
       limit :limit`),
  }
}

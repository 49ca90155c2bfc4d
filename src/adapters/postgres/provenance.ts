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
import { type Queryable, query, type Send, statement } from './connection.ts'

/** Writes source events and claims inside a transaction, those of a whole group at once and in their order. */
export function saveProvenance(send: Send, tenantId: string, sealed: readonly Sealed[]): Promise<unknown>[] {
  const events = sealed.flatMap(({ sourceEvents }) => sourceEvents.map(toSourceEventRow))
  const redacted = sealed.flatMap(({ payloadsRedacted }) => payloadsRedacted)
  const claims = sealed.flatMap((batch) => batch.claims)
  const sent: Promise<unknown>[] = []
  if (events.length > 0) sent.push(send(sql.insertEvents, [tenantId, JSON.stringify(events)]))
  if (redacted.length > 0) sent.push(send(sql.redactPayloads, [tenantId, redacted]))
  const rewrites = sealed.flatMap(({ sourceRewrites }) => sourceRewrites.map(toRewriteRow))
  if (rewrites.length > 0) sent.push(send(sql.rewriteEvents, [tenantId, JSON.stringify(rewrites)]))
  if (claims.length === 0) return sent
  // Of a claim that was decided several times in the group, the last decision is stored.
  const last = new Map(claims.map(({ claim }) => [claim.claimId, toClaimRow(claim)]))
  sent.push(send(sql.saveClaims, [tenantId, JSON.stringify([...last.values()])]))
  for (const { claim, assertions, withdrawn, repriced, erased, restated } of claims) {
    for (const { ordinal, content } of restated)
      sent.push(send(sql.restate, [tenantId, claim.claimId, ordinal, content]))
    if (erased.length > 0) sent.push(send(sql.erase, [tenantId, claim.claimId, erased]))
    if (withdrawn.length > 0) sent.push(send(sql.withdraw, [tenantId, claim.claimId, withdrawn, claim.updatedPosition]))
    for (const { service, priority } of repriced)
      sent.push(send(sql.reprice, [tenantId, claim.claimId, service, priority]))
    if (assertions.length > 0)
      sent.push(send(sql.insertAssertions, [tenantId, JSON.stringify(assertions.map(toAssertionRow))]))
  }
  return sent
}

export function createProvenanceStore(pool: Queryable): ProvenanceStore {
  const events = async (...args: Parameters<typeof query> extends [Queryable, ...infer Rest] ? Rest : never) =>
    (await query<SourceEventRow>(pool, ...args)).map(toSourceEvent)
  const versions = async (...args: Parameters<typeof query> extends [Queryable, ...infer Rest] ? Rest : never) =>
    (await query<VersionRow>(pool, ...args)).map(toVersion)
  return {
    async sourceEvent(tenantId, id) {
      return (await events(sql.event, [tenantId, id]))[0] ?? null
    },
    async sourceEventNamed(tenantId, service, eventId) {
      return (await events(sql.named, [tenantId, service, eventId]))[0] ?? null
    },
    sourceEvents({ tenantId, subject, service, after, limit }) {
      const page = [tenantId, service, after ?? afterEveryId, limit]
      return subject === null ? events(sql.events, page) : events(sql.eventsOfSubject, [...page, subject])
    },
    keptPayloads: ({ tenantId, receivedBefore, after, limit }) =>
      events(sql.kept, [tenantId, receivedBefore, after ?? '', limit]),
    async claim(tenantId, claimId) {
      const [row] = await query<ClaimRow>(pool, sql.claim, [tenantId, claimId])
      return row ? toClaim(row) : null
    },
    async claims({ tenantId, subject, isContested, after, limit }) {
      const page = [tenantId, after ?? '', limit]
      const contested = isContested === null ? null : isContested ? 1 : 0
      const rows =
        isContested === true
          ? query<ClaimRow>(pool, sql.contested, [...page, subject])
          : subject === null
            ? query<ClaimRow>(pool, sql.claims, [...page, contested])
            : query<ClaimRow>(pool, sql.claimsOfSubject, [...page, contested, subject])
      return (await rows).map(toClaim)
    },
    async assertions(tenantId, claimId) {
      return (await query<AssertionRow>(pool, sql.assertions, [tenantId, claimId])).map(toAssertion)
    },
    async assertionsOfEvent(tenantId, id) {
      return (await query<AssertionRow>(pool, sql.assertionsOfEvent, [tenantId, id])).map(toAssertion)
    },
    newestVersions: (tenantId, entryIds) => versions(sql.newest, [tenantId, entryIds]),
    entryVersions: (tenantId, entryId) => versions(sql.entryVersions, [tenantId, entryId]),
    listAll({ tenantId, memoryRef, position, now, before, limit }) {
      const from = before ?? { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }
      return versions(sql.listAll, [tenantId, memoryRef, position, now, from.createdPosition, from.ordinal, limit])
    },
  }
}

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

const sql = {
  insertEvents: statement(
    'insert_source_events',
    `insert into source_event (tenant_id, ${sourceEventColumns})
     select $1, ${sourceEventColumns}
       from json_to_recordset($2::json) as r (
              source_event_id text, service text, event_id text, subject text, agent_id text, infer bigint,
              observed_at bigint, received_at bigint, payload_hash text, salt text, job_id text, actor text,
              request_id text, recorded_position bigint, scope text, evidence text, metadata text, messages text)`,
  ),
  redactPayloads: statement(
    'redact_payloads',
    'update source_event set messages = null where tenant_id = $1 and source_event_id = any($2)',
  ),
  rewriteEvents: statement(
    'rewrite_source_events',
    `update source_event e
        set scope = r.scope, evidence = r.evidence, metadata = r.metadata, messages = r.messages
       from json_to_recordset($2::json) as r (
              source_event_id text, scope text, evidence text, metadata text, messages text)
      where e.tenant_id = $1
        and e.source_event_id = r.source_event_id`,
  ),
  restate: statement(
    'restate_assertion',
    'update assertion set content = $4 where tenant_id = $1 and claim_id = $2 and ordinal = $3',
  ),
  saveClaims: statement(
    'save_claims',
    `insert into claim (tenant_id, ${claimColumns})
     select $1, ${claimColumns}
       from json_to_recordset($2::json) as r (
              claim_id text, revision bigint, subject text, category text, claim_key text, winner text,
              is_contested bigint, pin text, updated_position bigint)
         on conflict (tenant_id, claim_id) do update
        set revision = excluded.revision, winner = excluded.winner, is_contested = excluded.is_contested,
            pin = excluded.pin, updated_position = excluded.updated_position`,
  ),
  withdraw: statement(
    'withdraw_assertions',
    `update assertion
        set withdrawn_position = $4
      where tenant_id = $1
        and claim_id = $2
        and content_key = any($3)
        and withdrawn_position is null`,
  ),
  erase: statement(
    'erase_assertions',
    "update assertion set content = '' where tenant_id = $1 and claim_id = $2 and content_key = any($3)",
  ),
  reprice: statement(
    'reprice_assertions',
    'update assertion set priority = $4 where tenant_id = $1 and claim_id = $2 and service = $3',
  ),
  insertAssertions: statement(
    'insert_assertions',
    `insert into assertion (tenant_id, ${assertionColumns})
     select $1, ${assertionColumns}
       from json_to_recordset($2::json) as r (
              claim_id text, ordinal bigint, source_event_id text, candidate bigint, service text, event_id text,
              content text, content_key text, importance bigint, confidence double precision, priority bigint,
              observed_at bigint, entry_id text, recorded_position bigint, withdrawn_position bigint)`,
  ),
  event: statement(
    'source_event',
    `select ${sourceEventColumns} from source_event where tenant_id = $1 and source_event_id = $2`,
  ),
  named: statement(
    'source_event_named',
    `select ${sourceEventColumns} from source_event where tenant_id = $1 and service = $2 and event_id = $3`,
  ),
  events: statement(
    'source_events',
    `select ${sourceEventColumns}
       from source_event
      where tenant_id = $1
        and service is not null
        and ($2::text is null or service = $2)
        and source_event_id < $3
      order by source_event_id desc
      limit $4`,
  ),
  eventsOfSubject: statement(
    'source_events_of_subject',
    `select ${sourceEventColumns}
       from source_event
      where tenant_id = $1
        and service is not null
        and ($2::text is null or service = $2)
        and source_event_id < $3
        and subject = $5
      order by source_event_id desc
      limit $4`,
  ),
  kept: statement(
    'kept_payloads',
    `select ${sourceEventColumns}
       from source_event
      where tenant_id = $1
        and messages is not null
        and received_at < $2
        and source_event_id > $3
      order by source_event_id
      limit $4`,
  ),
  claim: statement('claim', `select ${claimColumns} from claim where tenant_id = $1 and claim_id = $2`),
  claims: statement(
    'claims',
    `select ${claimColumns}
       from claim
      where tenant_id = $1
        and claim_id > $2
        and ($4::bigint is null or is_contested = $4)
      order by claim_id
      limit $3`,
  ),
  claimsOfSubject: statement(
    'claims_of_subject',
    `select ${claimColumns}
       from claim
      where tenant_id = $1
        and claim_id > $2
        and ($4::bigint is null or is_contested = $4)
        and subject = $5
      order by claim_id
      limit $3`,
  ),
  contested: statement(
    'claims_contested',
    `select ${claimColumns}
       from claim
      where tenant_id = $1
        and is_contested = 1
        and claim_id > $2
        and ($4::text is null or subject = $4)
      order by claim_id
      limit $3`,
  ),
  assertions: statement(
    'assertions',
    `select ${assertionColumns} from assertion where tenant_id = $1 and claim_id = $2 order by ordinal`,
  ),
  assertionsOfEvent: statement(
    'assertions_of_event',
    `select ${assertionColumns} from assertion where tenant_id = $1 and source_event_id = $2 order by candidate`,
  ),
  newest: statement(
    'newest_versions',
    `select distinct on (v.entry_id) ${columnsOfV}
       from unnest($2::text[]) as wanted (entry_id)
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = wanted.entry_id
      order by v.entry_id, v.version desc`,
  ),
  entryVersions: statement(
    'entry_versions',
    `select ${versionColumns} from entry_version where tenant_id = $1 and entry_id = $2 order by version`,
  ),
  listAll: statement(
    'list_all_versions',
    `select ${columnsOfV}
       from entry_version v
      where v.tenant_id = $1
        and v.memory_ref = $2
        and (v.created_position, v.ordinal) < ($5, $6)
        and v.recorded_position <= $3
        and (v.expires_at is null or v.expires_at > $4)
        and (v.ended_position is null or v.ended_position > $3 or v.ended_reason in ('superseded', 'archived'))
        and not exists (
              select 1
                from entry_version later
               where later.tenant_id = v.tenant_id
                 and later.entry_id = v.entry_id
                 and later.version > v.version
                 and later.recorded_position <= $3)
      order by v.created_position desc, v.ordinal desc
      limit $7`,
  ),
}

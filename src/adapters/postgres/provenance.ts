import type { Sealed } from '../../core/commit/batch.ts'
import { listOfWritten } from '../../core/entries/entry-audit.ts'
import { trustRank } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import type { SealedClaim } from '../../core/provenance/seal-claim.ts'
import type { ProvenanceStore } from '../../ports/provenance-store.ts'
import {
  assertionRows,
  claimRows,
  markRows,
  sourceEventHeadRows,
  sourceEventRows,
  sourceRewriteRows,
  toAssertion,
  toSourceEvent,
} from '../sql/provenance-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'
import { toVersion, type VersionRow } from '../sql/version-rows.ts'
import { type ExcerptRow, toWriteExcerpt } from '../sql/write-excerpts.ts'
import { accessValues } from './access.ts'
import { type Queryable, query, type Send } from './connection.ts'
import { provenanceStatements as sql } from './provenance-statements.ts'
import { readStatements as reads } from './read-statements.ts'

/** Writes source events inside a transaction, those of a whole group at once and in their order. */
export function saveSourceEvents(send: Send, tenantId: string, sealed: readonly Sealed[]): Promise<unknown>[] {
  const events = sealed.flatMap(({ sourceEvents }) => sourceEvents.map(sourceEventRows.toRow))
  const redacted = sealed.flatMap(({ payloadsRedacted }) => payloadsRedacted)
  const rewrites = sealed.flatMap(({ sourceRewrites }) => sourceRewrites.map(sourceRewriteRows.toRow))
  const sent: Promise<unknown>[] = []
  if (events.length > 0) sent.push(send(sql.insertEvents, [tenantId, JSON.stringify(events)]))
  if (redacted.length > 0) sent.push(send(sql.redactPayloads, [tenantId, redacted]))
  if (rewrites.length > 0) sent.push(send(sql.rewriteEvents, [tenantId, JSON.stringify(rewrites)]))
  return sent
}

/** Writes claims inside a transaction, those of a whole group at once and in their order. */
export function saveClaims(send: Send, tenantId: string, claims: readonly SealedClaim[]): Promise<unknown>[] {
  if (claims.length === 0) return []
  // Of a claim that was decided several times in the group, the last decision is stored.
  const last = new Map(claims.map((step) => [step.claim.claimId, step]))
  const kept = [...last.values()].filter(({ isRemoved }) => !isRemoved).map(({ claim }) => claimRows.toRow(claim))
  const sent: Promise<unknown>[] = [send(sql.saveClaims, [tenantId, JSON.stringify(kept)])]
  for (const { claim, assertions, withdrawn, repriced, erased, restated, marked, ...gone } of claims) {
    if (gone.isRemoved) {
      if (last.get(claim.claimId)?.isRemoved) sent.push(send(sql.removeClaim, [tenantId, claim.claimId]))
      sent.push(send(sql.removeAssertions, [tenantId, claim.claimId]))
      continue
    }
    if (gone.removed.length > 0) sent.push(send(sql.removeSomeAssertions, [tenantId, claim.claimId, gone.removed]))
    if (gone.detached.length > 0) sent.push(send(sql.detach, [tenantId, claim.claimId, gone.detached]))
    for (const { contentKey, entryId } of gone.attached)
      sent.push(send(sql.attach, [tenantId, claim.claimId, contentKey, entryId]))
    for (const { ordinal, content, seal } of restated)
      sent.push(send(sql.restate, [tenantId, claim.claimId, ordinal, content, seal]))
    if (erased.length > 0) sent.push(send(sql.erase, [tenantId, claim.claimId, erased]))
    if (withdrawn.length > 0) sent.push(send(sql.withdraw, [tenantId, claim.claimId, withdrawn, claim.updatedPosition]))
    for (const { service, priority } of repriced)
      sent.push(send(sql.reprice, [tenantId, claim.claimId, service, priority]))
    if (marked.length > 0)
      sent.push(send(sql.mark, [tenantId, claim.claimId, JSON.stringify(marked.map(markRows.toRow))]))
    if (assertions.length > 0)
      sent.push(send(sql.insertAssertions, [tenantId, JSON.stringify(assertions.map(assertionRows.toRow))]))
  }
  return sent
}

export function createProvenanceStore(pool: Queryable): ProvenanceStore {
  const events = async (...args: Parameters<typeof query> extends [Queryable, ...infer Rest] ? Rest : never) =>
    (await query<Row>(pool, ...args)).map(toSourceEvent)
  const versions = async (...args: Parameters<typeof query> extends [Queryable, ...infer Rest] ? Rest : never) =>
    (await query<VersionRow>(pool, ...args)).map(toVersion)
  return {
    async sourceEvent(tenantId, id) {
      return (await events(sql.event, [tenantId, id]))[0] ?? null
    },
    sourceEventSummaries: (tenantId, ids) => events(sql.sourceEventSummaries, [tenantId, ids]),
    async sourceEventNamed(tenantId, service, eventId) {
      return (await events(sql.named, [tenantId, service, eventId]))[0] ?? null
    },
    sourceEventsNamed: (tenantId, services, eventId) => events(sql.namedByAny, [tenantId, services, eventId]),
    sourceEvents({ tenantId, subject, service, after, limit }) {
      const page = [tenantId, service, after ?? afterEveryId, limit]
      return subject === null ? events(sql.events, page) : events(sql.eventsOfSubject, [...page, subject])
    },
    async sourceEventHeads({ tenantId, after, limit }) {
      const rows = await query<Row>(pool, sql.heads, [tenantId, after ?? '', limit])
      return rows.map(sourceEventHeadRows.fromRow)
    },
    keptPayloads: ({ tenantId, receivedBefore, after, limit }) =>
      events(sql.kept, [tenantId, receivedBefore, after ?? '', limit, limits.pageCharactersMax]),
    async claim(tenantId, claimId) {
      const [row] = await query<Row>(pool, sql.claim, [tenantId, claimId])
      return row ? claimRows.fromRow(row) : null
    },
    async claims({ tenantId, subject, isContested, after, limit }) {
      const page = [tenantId, after ?? '', limit]
      const contested = isContested === null ? null : isContested ? 1 : 0
      const rows =
        isContested === true
          ? query<Row>(pool, sql.contested, [...page, subject])
          : subject === null
            ? query<Row>(pool, sql.claims, [...page, contested])
            : query<Row>(pool, sql.claimsOfSubject, [...page, contested, subject])
      return (await rows).map(claimRows.fromRow)
    },
    async assertions(tenantId, claimId) {
      return (await query<Row>(pool, sql.assertions, [tenantId, claimId])).map(toAssertion)
    },
    async assertionsOfClaims(tenantId, claimIds) {
      return (await query<Row>(pool, sql.assertionsOfClaims, [tenantId, claimIds])).map(toAssertion)
    },
    async instants(tenantId, positions) {
      const rows = await query<{ position: number; at: number }>(pool, sql.instants, [tenantId, positions])
      return new Map(rows.map(({ position, at }) => [position, at]))
    },
    async writeExcerpts(tenantId, writes) {
      const [positions, names] = [writes.map(({ position }) => position), writes.map(({ name }) => name)]
      const given = [tenantId, positions, names, listOfWritten]
      const rows = await query<ExcerptRow & { nth: number }>(pool, reads.writeExcerpts, given)
      const found = new Map(rows.map((row) => [row.nth, toWriteExcerpt(row)]))
      return writes.map((_, at) => found.get(at + 1) ?? null)
    },
    async assertionsOfEvent(tenantId, id) {
      return (await query<Row>(pool, sql.assertionsOfEvent, [tenantId, id])).map(toAssertion)
    },
    newestVersions: (tenantId, entryIds) => versions(sql.newest, [tenantId, entryIds]),
    entryVersions: (tenantId, entryId) => versions(sql.entryVersions, [tenantId, [entryId]]),
    versionsOfEntries: (tenantId, entryIds) => versions(sql.entryVersions, [tenantId, entryIds]),
    listAll({ tenantId, memoryRef, position, now, access, before, limit }) {
      const from = before ?? { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }
      const page = [from.createdPosition, from.ordinal, limit]
      return versions(sql.listAll, [tenantId, memoryRef, position, now, ...page, ...accessValues(access)])
    },
    currentBelow({ tenantId, floor, now, after, limit }) {
      const page = [tenantId, after ?? '', now, limit]
      if (floor === 'agent') return versions(sql.untrusted, page)
      return versions(sql.currentBelow, [...page, trustRank(floor)])
    },
  }
}

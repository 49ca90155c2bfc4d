import type { Database } from 'better-sqlite3'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { listOfWritten } from '../../core/entries/entry-audit.ts'
import { trustRank } from '../../core/entries/trust.ts'
import { firstUpTo } from '../../core/first-up-to.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { ProvenanceStore } from '../../ports/provenance-store.ts'
import { claimRows, sourceEventHeadRows, toAssertion, toSourceEvent } from '../sql/provenance-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { afterEveryId } from '../sql/run-rows.ts'
import { toVersion, type VersionRow } from '../sql/version-rows.ts'
import { type ExcerptRow, toWriteExcerpt } from '../sql/write-excerpts.ts'
import { accessValues } from './access.ts'
import { prepareReads } from './provenance-statements.ts'
import { readInPieces } from './read-in-pieces.ts'

export function createProvenanceStore(db: Database, answer: <T>(work: () => T) => Promise<T>): ProvenanceStore {
  const sql = prepareReads(db)
  const event = (row: unknown) => (row ? toSourceEvent(row as Row) : null)
  const events = (rows: unknown[]) => (rows as Row[]).map(toSourceEvent)
  const versions = (rows: unknown[]) => (rows as VersionRow[]).map(toVersion)
  const assertions = (rows: unknown[]) => (rows as Row[]).map(toAssertion)
  const assertionsOf = (tenantId: string, claimId: string) =>
    readInPieces<Row, Assertion>(answer, {
      rowsAfter: (last) => sql.assertions.iterate(tenantId, claimId, last?.ordinal ?? -1),
      characters: ({ content }) => String(content).length,
      decode: toAssertion,
      revision: () => sql.claimRevision.get(tenantId, claimId),
    })
  /** The newest version first: when one is added meanwhile, what is read afterwards had ended before. */
  const versionsOf = async (tenantId: string, entryId: string) => {
    const found = await readInPieces<VersionRow, EntryVersion>(answer, {
      rowsAfter: (last) => sql.entryVersions.iterate(tenantId, entryId, last?.version ?? Number.MAX_SAFE_INTEGER),
      characters: ({ content }) => content.length,
      decode: toVersion,
    })
    return found.reverse()
  }
  return {
    sourceEvent: (tenantId, id) => answer(() => event(sql.event.get(tenantId, id))),
    sourceEventSummaries: (tenantId, ids) =>
      eachOf(ids, (id) => answer(() => events(sql.sourceEventSummary.all(tenantId, id)))),
    sourceEventNamed: (tenantId, service, eventId) => answer(() => event(sql.named.get(tenantId, service, eventId))),
    sourceEventsNamed: (tenantId, services, eventId) =>
      answer(() => events(services.flatMap((service) => sql.namedSummary.get(tenantId, service, eventId) ?? []))),
    sourceEvents: ({ after, ...query }) => {
      const list = query.subject === null ? sql.events : sql.eventsOfSubject
      return readInPieces<Row, SourceEventRecord>(answer, {
        rowsAfter: (last, limit) =>
          list.iterate({ ...query, after: last?.source_event_id ?? after ?? afterEveryId, limit }),
        characters: ({ scope, evidence }) => String(scope).length + String(evidence).length,
        decode: toSourceEvent,
        limit: query.limit,
      })
    },
    sourceEventHeads: ({ after, ...query }) =>
      answer(() => (sql.heads.all({ ...query, after: after ?? '' }) as Row[]).map(sourceEventHeadRows.fromRow)),
    keptPayloads: ({ after, ...query }) =>
      answer(() => firstEvents(sql.kept.iterate({ ...query, after: after ?? '' })).map(toSourceEvent)),
    claim: (tenantId, claimId) =>
      answer(() => {
        const row = sql.claim.get(tenantId, claimId) as Row | undefined
        return row ? claimRows.fromRow(row) : null
      }),
    claims: ({ after, isContested, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? '', contested: isContested === null ? null : isContested ? 1 : 0 }
        const list = isContested === true ? sql.contested : query.subject === null ? sql.claims : sql.claimsOfSubject
        return (list.all(page) as Row[]).map(claimRows.fromRow)
      }),
    assertions: assertionsOf,
    assertionsOfClaims: (tenantId, claimIds) => eachOf(claimIds, (claimId) => assertionsOf(tenantId, claimId)),
    instants: (tenantId, positions) =>
      answer(() => {
        const found = [...new Set(positions)].map((position) => [position, sql.instant.get(tenantId, position)])
        return new Map(found.filter((pair): pair is [number, number] => pair[1] !== undefined))
      }),
    writeExcerpts: (tenantId, writes) =>
      answer(() =>
        writes.map(({ position, name }) => {
          const row = sql.writeExcerpt.get({ tenantId, position, name, list: listOfWritten })
          return row === undefined ? null : toWriteExcerpt(row as ExcerptRow)
        }),
      ),
    assertionsOfEvent: (tenantId, id) => answer(() => assertions(sql.assertionsOfEvent.all(tenantId, id))),
    newestVersions: (tenantId, entryIds) =>
      eachOf(entryIds, (id) => answer(() => versions(sql.newest.all(tenantId, id)))),
    entryVersions: versionsOf,
    versionsOfEntries: (tenantId, entryIds) => eachOf(entryIds, (entryId) => versionsOf(tenantId, entryId)),
    listAll: ({ before, access, ...query }) =>
      answer(() => {
        const from = before ?? { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: Number.MAX_SAFE_INTEGER }
        const place = { fromPosition: from.createdPosition, fromOrdinal: from.ordinal }
        return versions(sql.listAll.all({ ...query, ...accessValues(access), ...place }))
      }),
    currentBelow: ({ floor, after, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? '' }
        if (floor === 'agent') return versions(sql.untrusted.all(page))
        return versions(sql.currentBelow.all({ ...page, floor: trustRank(floor) }))
      }),
  }
}

/** The first source events up to a number of characters of their messages. */
export function firstEvents(rows: IterableIterator<unknown>): Row[] {
  return firstUpTo(rows as IterableIterator<Row>, ({ messages }) => String(messages).length)
}

/** The rows of several ids, one id after the other. */
async function eachOf<T>(ids: readonly string[], read: (id: string) => Promise<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for (const id of new Set(ids)) for (const row of await read(id)) found.push(row)
  return found
}

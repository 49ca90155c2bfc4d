import { isAccessible } from '../../core/entries/access.ts'
import { isExpired, isOlder, newestFirst } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { listOfWritten } from '../../core/entries/entry-audit.ts'
import { isBelow } from '../../core/entries/trust.ts'
import { firstUpTo } from '../../core/first-up-to.ts'
import { isClaimFenced, isEventFenced } from '../../core/forget/fence.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { ProvenanceStore } from '../../ports/provenance-store.ts'
import { isShown, shownAssertion, shownEvent } from './forget.ts'
import type { TenantState } from './tenant-state.ts'

export function modelProvenance(tenants: Map<string, TenantState>, use: () => void): ProvenanceStore {
  const stateOf = (tenantId: string): TenantState | undefined => {
    use()
    return tenants.get(tenantId)
  }
  const eventsOf = (tenantId: string): SourceEventRecord[] => {
    const state = stateOf(tenantId)
    return state ? [...state.sourceEvents.values()] : []
  }
  const shown = (tenantId: string, event: SourceEventRecord | undefined): SourceEventRecord | null => {
    const state = tenants.get(tenantId)
    return state && event ? shownEvent(state, event) : null
  }
  const shownAll = (tenantId: string, events: SourceEventRecord[]) =>
    events.flatMap((event) => shown(tenantId, event) ?? [])
  const versionsOf = (tenantId: string): EntryVersion[] => {
    const state = stateOf(tenantId)
    return state ? [...state.versions.values()].flat().filter((row) => isShown(state, row)) : []
  }
  const assertionsOf = (tenantId: string) => {
    const state = stateOf(tenantId)
    return state?.assertions.map((assertion) => shownAssertion(state, assertion)) ?? []
  }
  const claimsOf = (tenantId: string) => {
    const state = stateOf(tenantId)
    return [...(state?.claims.values() ?? [])].filter((claim) => !isClaimFenced(claim, state?.fences ?? []))
  }
  return {
    async sourceEvent(tenantId, sourceEventId) {
      return shown(tenantId, stateOf(tenantId)?.sourceEvents.get(sourceEventId))
    },
    async sourceEventSummaries(tenantId, ids) {
      const events = eventsOf(tenantId).filter(({ sourceEventId }) => ids.includes(sourceEventId))
      return shownAll(tenantId, events)
    },
    async sourceEventNamed(tenantId, service, eventId) {
      const state = stateOf(tenantId)
      return shown(tenantId, state && findSourceEvent(state, service, eventId))
    },
    async sourceEventsNamed(tenantId, services, eventId) {
      const state = stateOf(tenantId)
      const found = services.flatMap((service) => (state && findSourceEvent(state, service, eventId)) ?? [])
      return shownAll(tenantId, found).map(withoutTexts)
    },
    async sourceEvents({ tenantId, subject, service, after, limit }) {
      const fences = stateOf(tenantId)?.fences ?? []
      const found = eventsOf(tenantId)
        .filter((event) => event.service !== null && (service === null || event.service === service))
        .filter((event) => subject === null || (event.subject === subject && !isEventFenced(event, fences)))
        .filter(({ sourceEventId }) => after === null || sourceEventId < after)
        .sort((a, b) => (a.sourceEventId < b.sourceEventId ? 1 : -1))
        .slice(0, limit)
      return shownAll(tenantId, found).map(withoutTexts)
    },
    async sourceEventHeads({ tenantId, after, limit }) {
      return shownAll(tenantId, eventsOf(tenantId))
        .filter(({ sourceEventId, isErased }) => !isErased && (after === null || sourceEventId > after))
        .sort((a, b) => (a.sourceEventId < b.sourceEventId ? -1 : 1))
        .slice(0, limit)
        .map(({ sourceEventId, service, agentId, actor, recordedPosition, readers }) => ({
          sourceEventId,
          service,
          agentId,
          actor,
          recordedPosition,
          readers,
        }))
    },
    async keptPayloads({ tenantId, receivedBefore, after, limit }) {
      const found = eventsOf(tenantId)
        .filter((event) => event.messages !== null && event.receivedAt < receivedBefore)
        .filter(({ sourceEventId }) => after === null || sourceEventId > after)
        .sort((a, b) => (a.sourceEventId < b.sourceEventId ? -1 : 1))
        .slice(0, limit)
      return shownAll(tenantId, firstEvents(found))
    },
    async claim(tenantId, claimId) {
      return claimsOf(tenantId).find((claim) => claim.claimId === claimId) ?? null
    },
    async claims({ tenantId, subject, isContested, after, limit }) {
      return claimsOf(tenantId)
        .filter((claim) => subject === null || claim.subject === subject)
        .filter((claim) => isContested === null || claim.isContested === isContested)
        .filter(({ claimId }) => after === null || claimId > after)
        .sort((a, b) => (a.claimId < b.claimId ? -1 : 1))
        .slice(0, limit)
    },
    async assertions(tenantId, claimId) {
      const all = assertionsOf(tenantId)
      return all.filter((assertion) => assertion.claimId === claimId).sort((a, b) => a.ordinal - b.ordinal)
    },
    async assertionsOfClaims(tenantId, claimIds) {
      const all = assertionsOf(tenantId).filter(({ claimId }) => claimIds.includes(claimId))
      return all.sort((a, b) => a.ordinal - b.ordinal)
    },
    async instants(tenantId, positions) {
      const rows = stateOf(tenantId)?.audit.filter(({ position }) => positions.includes(position)) ?? []
      return new Map(rows.map(({ position, at }) => [position, at]))
    },
    async writeExcerpts(tenantId, writes) {
      return writes.map(({ position, name }) => {
        const row = stateOf(tenantId)?.audit.find((one) => one.position === position)
        if (row === undefined) return null
        const list = row.body.indexOf(listOfWritten)
        return { at: row.at, head: row.body, isNamed: list >= 0 && row.body.indexOf(name) > list }
      })
    },
    async assertionsOfEvent(tenantId, sourceEventId) {
      const all = assertionsOf(tenantId)
      return all
        .filter((assertion) => assertion.sourceEventId === sourceEventId)
        .sort((a, b) => a.candidate - b.candidate)
    },
    async newestVersions(tenantId, entryIds) {
      const newest = new Map<string, EntryVersion>()
      for (const row of versionsOf(tenantId)) if (entryIds.includes(row.entryId)) keepNewest(newest, row)
      return [...newest.values()]
    },
    async entryVersions(tenantId, entryId) {
      return versionsOf(tenantId)
        .filter((row) => row.entryId === entryId)
        .sort((a, b) => a.version - b.version)
    },
    async versionsOfEntries(tenantId, entryIds) {
      return versionsOf(tenantId)
        .filter((row) => entryIds.includes(row.entryId))
        .sort((a, b) => a.version - b.version)
    },
    async listAll({ tenantId, memoryRef, position, now, access, before, limit }) {
      const rows = versionsOf(tenantId).filter((row) => row.memoryRef === memoryRef)
      return newestWithEnded(rows, position)
        .filter((row) => !isExpired(row, now) && isAccessible(row, access))
        .filter((row) => before === null || isOlder(row, before))
        .sort(newestFirst)
        .slice(0, limit)
    },
    async currentBelow({ tenantId, floor, now, after, limit }) {
      return versionsOf(tenantId)
        .filter((row) => row.endedPosition === null && isBelow(row.trust, floor) && !isExpired(row, now))
        .filter(({ entryId }) => after === null || entryId > after)
        .sort((a, b) => (a.entryId < b.entryId ? -1 : 1))
        .slice(0, limit)
    },
  }
}

/** The newest version of each entry, superseded and archived ones too. */
export function newestWithEnded(rows: readonly EntryVersion[], position: number): EntryVersion[] {
  const newest = new Map<string, EntryVersion>()
  for (const row of rows) if (row.recordedPosition <= position) keepNewest(newest, row)
  return [...newest.values()].filter((row) => isShownWithAll(row, position))
}

/** Deleted entries are not listed, not even with the others. */
function isShownWithAll({ endedPosition, endedReason }: EntryVersion, position: number): boolean {
  return (
    endedPosition === null || endedPosition > position || endedReason === 'superseded' || endedReason === 'archived'
  )
}

function keepNewest(newest: Map<string, EntryVersion>, row: EntryVersion): void {
  if ((newest.get(row.entryId)?.version ?? 0) < row.version) newest.set(row.entryId, row)
}

export function findSourceEvent(state: TenantState, service: string, eventId: string): SourceEventRecord | undefined {
  return [...state.sourceEvents.values()].find((event) => event.service === service && event.eventId === eventId)
}

/** The first source events up to a number of characters of their messages. */
export function firstEvents<T extends Pick<SourceEventRecord, 'messages'>>(events: readonly T[]): T[] {
  return firstUpTo(events, ({ messages }) => JSON.stringify(messages).length)
}

function withoutTexts(event: SourceEventRecord): SourceEventRecord {
  return { ...event, metadata: {}, messages: event.messages && [] }
}

import { parseAuditBody } from '../../core/audit/audit.ts'
import { readersChangedKind } from '../../core/commit/batch.ts'
import { isAlwaysIncluded } from '../../core/entries/always-include.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { actorOfChange } from '../../core/entries/entry-audit.ts'
import { ColophonError } from '../../core/errors.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { editOf, editPrefix } from '../../core/provenance/source-event.ts'
import { isEntryId } from '../entries/read.ts'
import { mayRead } from '../entries/read-access.ts'
import { mapInGroups } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { findMemory } from './find-memories.ts'
import { assertionsOfEntry, isFromService, type ServiceSourceEvent, supportersOf } from './memory-view.ts'

/** One change in the history of a memory. */
export type HistoryStep = {
  readonly version: number
  readonly content: string
  readonly change:
    | 'created'
    | 'confirmed'
    | 'superseded'
    | 'reactivated'
    | 'edited'
    | 'archived'
    | 'contained'
    | 'redacted'
    | 'readers_changed'
    | 'compacted'
    | 'deleted'
  readonly reason: string | null
  readonly actor: string
  readonly at: number
}

type Step = Pick<HistoryStep, 'version' | 'content' | 'change'> & {
  readonly position: number
  readonly reason?: string
}

/** The history of a memory in order: created, confirmed, superseded, reactivated, edited, and how it ended. */
export async function memoryHistory(tenant: Tenant, id: string): Promise<HistoryStep[]> {
  const versions = isEntryId(id) ? await tenant.storage.provenance.entryVersions(tenant.id, id) : []
  const last = versions.at(-1)
  if (last === undefined || !mayRead(tenant, last.readers))
    throw new ColophonError('not_found', 'There is no such memory.')
  const claimId = last.classification?.claimId ?? null
  const all = claimId === null ? [] : await tenant.storage.provenance.assertions(tenant.id, claimId)
  const stated = assertionsOfEntry(all, last.entryId)
  const steps = [
    ...versions.flatMap((version, index) => stepsOf(version, versions[index - 1])),
    ...confirmations(versions, stated),
  ]
  steps.sort((a, b) => a.position - b.position || a.version - b.version)
  const edits = await editsAmong(tenant, stated)
  const shown = await mapInGroups(steps, async ({ position, reason = null, ...step }) => {
    const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
    // The actor that superseded a memory wrote another one, which the reader cannot see.
    const isOfOther = step.change === 'superseded' && tenant.reader !== null
    const actor = isOfOther ? 'unknown' : (actorOfChange(row, last) ?? 'unknown')
    const isStated = step.change === 'created' || step.change === 'edited' || step.change === 'confirmed'
    const why = (isStated ? edits.get(position) : undefined) ?? reason
    const isReaders = step.change === 'redacted' && row !== undefined && parseAuditBody(row).kind === readersChangedKind
    const change = isReaders ? ('readers_changed' as const) : step.change
    return { ...step, change, reason: why, actor, at: row?.at ?? last.createdAt, position }
  })
  return shown.filter(isFirstOfChange).map(({ position: _position, ...step }) => step)
}

/** A change of the readers stores every version again: it is shown once, with the newest version. */
function isFirstOfChange(
  { change, position }: { readonly change: HistoryStep['change']; readonly position: number },
  at: number,
  steps: readonly { readonly change: HistoryStep['change']; readonly position: number }[],
): boolean {
  const next = steps[at + 1]
  return change !== 'readers_changed' || next?.change !== change || next.position !== position
}

/** The reasons of edits, by the position at which the edit was stored. */
async function editsAmong(tenant: Tenant, stated: readonly Assertion[]): Promise<ReadonlyMap<number, string>> {
  const reasons = new Map<number, string>()
  for (const { sourceEventId, recordedPosition, eventId } of stated) {
    // Only an event without a source service, or with the prefix of edits, can be an edit.
    if (eventId !== null && !eventId.startsWith(editPrefix)) continue
    const event = await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
    const edit = event && mayRead(tenant, event.readers) && editOf(event)
    if (edit) reasons.set(recordedPosition, edit.reason ?? `edit of ${edit.edits}`)
  }
  return reasons
}

const endings: Readonly<Record<string, HistoryStep['change']>> = {
  superseded: 'superseded',
  archived: 'archived',
  contained: 'contained',
  deleted: 'deleted',
  compacted: 'compacted',
  rejected: 'deleted',
}

function stepsOf(version: EntryVersion, before: EntryVersion | undefined): Step[] {
  const { content, recordedPosition, endedPosition, endedReason, digestPosition } = version
  const shown = { version: version.version, content }
  const begins = before === undefined ? 'created' : before.endedReason === 'revised' ? 'edited' : 'reactivated'
  const ending = endings[endedReason ?? '']
  // The deletion or quarantine of an entry that had ended before is stored as a version that begins and ends at one position.
  const isMark = endedReason === 'deleted' || endedReason === 'contained'
  if (isMark && endedPosition === recordedPosition)
    return [{ ...shown, change: endedReason, position: recordedPosition }]
  return [
    { ...shown, change: begins, position: recordedPosition, ...markReason(before, version) },
    ...(digestPosition > recordedPosition ? [{ ...shown, change: 'redacted' as const, position: digestPosition }] : []),
    ...(endedPosition !== null && ending
      ? [{ ...shown, change: ending, position: endedPosition, reason: endedReason ?? '' }]
      : []),
  ]
}

/** The mark is part of a version: a version that sets or removes it says so. */
function markReason(before: EntryVersion | undefined, version: EntryVersion): Pick<Step, 'reason'> {
  const isMarked = isAlwaysIncluded(version)
  if (isMarked === (before !== undefined && isAlwaysIncluded(before))) return {}
  return { reason: isMarked ? 'always included in prompts' : 'no longer always included in prompts' }
}

/** The assertions after the first one, for each content that the memory had. */
function confirmations(versions: readonly EntryVersion[], stated: readonly Assertion[]): Step[] {
  return [...Map.groupBy(stated, ({ contentKey }) => contentKey).values()].flatMap((supporters) => {
    const [, ...later] = supporters.sort((a, b) => a.recordedPosition - b.recordedPosition || a.ordinal - b.ordinal)
    return later.map(({ recordedPosition, service }) => {
      const version = versions.findLast((item) => item.recordedPosition <= recordedPosition) ?? versions[0]
      return {
        version: version?.version ?? 1,
        content: version?.content ?? '',
        change: 'confirmed' as const,
        position: recordedPosition,
        reason: service === null ? 'stated again' : `stated by ${service}`,
      }
    })
  })
}

/** The source events of services that stated a memory. */
export async function memorySources(tenant: Tenant, id: string): Promise<ServiceSourceEvent[]> {
  const supporters = await supportersOf(tenant, await findMemory(tenant, id), Number.MAX_SAFE_INTEGER)
  const ids = [...new Set(supporters.map(({ sourceEventId }) => sourceEventId))]
  const summaries = await tenant.storage.provenance.sourceEventSummaries(tenant.id, ids)
  const byId = new Map(summaries.map((event) => [event.sourceEventId, event]))
  const events = ids.map((eventId) => byId.get(eventId) ?? null)
  return events.filter(isFromService).filter(({ readers }) => mayRead(tenant, readers))
}

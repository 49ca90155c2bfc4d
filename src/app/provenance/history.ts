import { parseBody } from '../../core/audit.ts'
import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { isEntryId } from '../read.ts'
import type { Tenant } from '../tenant.ts'
import { supportersOf, toProvenance } from './memory-view.ts'

export type HistoryItem = {
  readonly version_number: number
  readonly content: string
  readonly change_type:
    | 'created'
    | 'confirmed'
    | 'superseded'
    | 'reactivated'
    | 'edited'
    | 'archived'
    | 'redacted'
    | 'compacted'
    | 'deleted'
  readonly change_reason: string | null
  readonly actor: string
  readonly created_at: string
}

type Step = Pick<HistoryItem, 'version_number' | 'content' | 'change_type'> & {
  readonly position: number
  readonly change_reason?: string
}

/** Everything that happened to a memory, in order: told, confirmed, superseded, back again, changed by people. */
export async function memoryHistory(tenant: Tenant, id: string): Promise<HistoryItem[]> {
  const versions = isEntryId(id) ? await tenant.storage.provenance.entryVersions(tenant.id, id) : []
  const last = versions.at(-1)
  if (last === undefined) throw new ColophonError('not_found', 'There is no such memory.')
  const steps = [
    ...versions.flatMap((version, index) => stepsOf(version, versions[index - 1])),
    ...(await confirmations(tenant, last)),
  ]
  steps.sort((a, b) => a.position - b.position || a.version_number - b.version_number)
  return Promise.all(
    steps.map(async ({ position, change_reason = null, ...step }) => {
      const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
      const actor = row ? parseBody(row).actor : 'unknown'
      return { ...step, change_reason, actor, created_at: toInstant(row?.at ?? last.createdAt) }
    }),
  )
}

const endings: Readonly<Record<string, HistoryItem['change_type']>> = {
  superseded: 'superseded',
  archived: 'archived',
  deleted: 'deleted',
  compacted: 'compacted',
}

function stepsOf(version: EntryVersion, before: EntryVersion | undefined): Step[] {
  const { content, recordedPosition, endedPosition, endedReason, digestPosition } = version
  const shown = { version_number: version.version, content }
  const begins = before === undefined ? 'created' : before.endedReason === 'revised' ? 'edited' : 'reactivated'
  const ending = endings[endedReason ?? '']
  // The mark that an entry which was over is deleted: it never was anything else.
  if (endedReason === 'deleted' && endedPosition === recordedPosition)
    return [{ ...shown, change_type: 'deleted', position: recordedPosition }]
  return [
    { ...shown, change_type: begins, position: recordedPosition },
    ...(digestPosition > recordedPosition
      ? [{ ...shown, change_type: 'redacted' as const, position: digestPosition }]
      : []),
    ...(endedPosition !== null && ending
      ? [{ ...shown, change_type: ending, position: endedPosition, change_reason: endedReason ?? '' }]
      : []),
  ]
}

/** Sources that said the same after the first one. */
async function confirmations(tenant: Tenant, entry: EntryVersion): Promise<Step[]> {
  const supporters = await supportersOf(tenant, entry, Number.MAX_SAFE_INTEGER)
  const [first, ...later] = [...supporters].sort(
    (a, b) => a.recordedPosition - b.recordedPosition || a.ordinal - b.ordinal,
  )
  if (first === undefined) return []
  return later.map(({ recordedPosition, service }) => ({
    version_number: entry.version,
    content: entry.content,
    change_type: 'confirmed' as const,
    position: recordedPosition,
    change_reason: service === null ? 'told again' : `told by ${service}`,
  }))
}

/** Every source that told this content. */
export async function memorySources(tenant: Tenant, entry: EntryVersion) {
  const supporters = await supportersOf(tenant, entry, Number.MAX_SAFE_INTEGER)
  const ids = [...new Set(supporters.map(({ sourceEventId }) => sourceEventId))]
  const events = await Promise.all(ids.map((id) => tenant.storage.provenance.sourceEvent(tenant.id, id)))
  return events.flatMap((event) => {
    const provenance = toProvenance(event)
    return provenance === null ? [] : [provenance]
  })
}

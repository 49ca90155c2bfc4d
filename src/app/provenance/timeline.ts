import { toInstant } from '../../core/check.ts'
import { isAccessible } from '../../core/entries/access.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import type { ClaimRecord } from '../../core/provenance/claim.ts'
import { newestEntries, spansOf } from '../../core/provenance/timeline.ts'
import type { Snapshot } from '../entries/read.ts'
import { type ReadAccessOptions, readAccess } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { readablePage } from './readable-claims.ts'

/** One claim of a subject over time. */
export type TimelineRow = {
  readonly id: string
  readonly category: string
  readonly claimKey: string | null
  readonly isContested: boolean
  readonly isPinned: boolean
  /** The contents that were current, oldest first. Where no span is, nothing was current. */
  readonly spans: readonly TimelineSpan[]
}

export type TimelineSpan = {
  readonly memoryId: string
  readonly version: number
  /** The beginning of the content. */
  readonly content: string
  readonly isCut: boolean
  /** The source service that stated it; null for an edit or another statement of a key. */
  readonly writer: string | null
  readonly trust: Trust
  /** When its source observed it; null if no source stated it. */
  readonly observedAt: string | null
  readonly from: Snapshot
  /** Null while it is current. Equal to `from` if it lost at once. */
  readonly to: Snapshot | null
  readonly endedReason: string | null
}

type TimelineQuery = ReadAccessOptions & {
  readonly subject: string
  readonly after: string | null
  readonly limit: number
}

/** What was current about a subject over time, one row for each claim, in order of claim id. */
export function subjectTimeline(tenant: Tenant, query: TimelineQuery): Promise<readonly TimelineRow[]> {
  const { subject, trustMin, ...range } = query
  return readablePage(
    range,
    async (page) => {
      const claims = await tenant.storage.provenance.claims({
        tenantId: tenant.id,
        subject,
        isContested: null,
        ...page,
      })
      return rowsOf(tenant, claims, { trustMin })
    },
    ({ id }) => id,
    // A claim without any memory that the caller may see has no row.
    async (row) => (row.spans.length === 0 ? null : row),
  )
}

/** The rows of these claims, with a fixed number of reads. */
async function rowsOf(
  tenant: Tenant,
  claims: readonly ClaimRecord[],
  options: ReadAccessOptions,
): Promise<readonly TimelineRow[]> {
  const { provenance } = tenant.storage
  const assertions = await provenance.assertionsOfClaims(
    tenant.id,
    claims.map(({ claimId }) => claimId),
  )
  const entries = newestEntries(assertions, limits.timelineEntriesMax)
  const stored = await provenance.versionsOfEntries(tenant.id, [...entries.values()].flat())
  const access = await readAccess(tenant, options)
  const now = tenant.expiryNow()
  const shown = stored.filter((version) => isAccessible(version, access) && !isExpired(version, now))
  const ofEntry = Map.groupBy(shown, ({ entryId }) => entryId)
  const instants = await provenance.instants(tenant.id, [
    ...new Set(
      shown.flatMap(({ recordedPosition, endedPosition }) => [recordedPosition, endedPosition ?? recordedPosition]),
    ),
  ])
  const moment = (position: number): Snapshot => ({ position, at: toInstant(instants.get(position) ?? now) })
  return claims.map(({ claimId, category, claimKey, isContested, pin }) => {
    const versions = (entries.get(claimId) ?? []).flatMap((entryId) => ofEntry.get(entryId) ?? [])
    // A decision about a content that the caller cannot see is not shown.
    const isAll = tenant.reader === null || (entries.get(claimId) ?? []).every((entryId) => ofEntry.has(entryId))
    return {
      id: claimId,
      category,
      claimKey,
      isContested: isContested && isAll,
      isPinned: pin !== null && isAll,
      spans: spansOf(versions).map(({ version, writer, from, to, endedReason }) => ({
        memoryId: version.entryId,
        version: version.version,
        content: version.content.slice(0, limits.timelineTextMax),
        isCut: version.content.length > limits.timelineTextMax,
        writer,
        trust: version.trust,
        observedAt: observedAt(version.classification?.observedAt),
        from: moment(from),
        to: to === null ? null : moment(to),
        endedReason,
      })),
    }
  })
}

function observedAt(at: number | undefined): string | null {
  return at === undefined ? null : toInstant(at)
}

import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'
import {
  type ClaimRow,
  type ContainmentPart,
  type ContainmentView,
  type EntryRow,
  findContainment,
  loadPart,
  toContainmentView,
} from './containment-record.ts'

/** An affected entry as the API returns it. */
export type AffectedEntryView = {
  readonly id: string
  /** Missing if the entry was erased since. */
  readonly memoryRef?: string
  readonly version?: number
  readonly affectedVersions: readonly number[]
  readonly why: 'written' | 'derived' | 'run'
  readonly compactionId?: string
  readonly runId?: string
  readonly effect: EntryRow['effect']
}

/** One page of what a containment affects. */
export type AffectedView = {
  readonly entries: readonly AffectedEntryView[]
  readonly claims: readonly ClaimRow[]
  readonly runs: readonly {
    readonly id: string
    readonly active: boolean
    readonly read: number
    readonly wrote: readonly string[]
  }[]
}

/** Adds the memoryRef of each entry. Records of containments do not contain it, because a name may be forgotten. */
export async function viewPart(tenant: Tenant, { entries, claims, runs }: ContainmentPart): Promise<AffectedView> {
  const found = await tenant.storage.provenance.newestVersions(
    tenant.id,
    entries.map(({ id }) => id),
  )
  const newest = new Map(found.map((version) => [version.entryId, version]))
  return {
    entries: entries.map(({ id, versions, why, effect }) => {
      const stored = newest.get(id)
      const { kind, ...by } = why
      return {
        id,
        ...(stored === undefined ? {} : { memoryRef: stored.memoryRef, version: stored.version }),
        affectedVersions: versions,
        why: kind,
        ...by,
        effect,
      }
    }),
    claims: claims.map(({ id, before, after }) => ({ id, before, after })),
    runs: runs.map(({ id, isActive, read, wrote }) => ({ id, active: isActive, read, wrote })),
  }
}

/** The first page of a list that is not stored in pages, and whether there is more. */
export function firstPage({ entries, claims, runs }: ContainmentPart): ContainmentPart & { readonly isMore: boolean } {
  const max = limits.containmentPageMax
  const isMore = entries.length > max || claims.length > max || runs.length > max
  return { entries: entries.slice(0, max), claims: claims.slice(0, max), runs: runs.slice(0, max), isMore }
}

/** A containment with one page of what it affects. */
export async function getContainment(
  tenant: Tenant,
  id: string,
  page: number,
): Promise<{ readonly containment: ContainmentView; readonly affected: AffectedView; readonly isMore: boolean }> {
  const containment = toContainmentView(await findContainment(tenant, id))
  const part = (await loadPart(tenant, id, page)) ?? { entries: [], claims: [], runs: [] }
  const isMore = (await loadPart(tenant, id, page + 1)) !== null
  return { containment, affected: await viewPart(tenant, part), isMore }
}

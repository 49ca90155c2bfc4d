import type { AdminBody, AdminChange, AdminRecord } from '../../core/admin.ts'
import { toInstant } from '../../core/check.ts'
import type { Why } from '../../core/containment/entry-lineage.ts'
import type { ContainedRange, ContainmentSelector } from '../../core/containment/selector.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'

/** How much a containment affects. */
export type ContainmentCounts = {
  readonly sourceEvents: number
  readonly assertions: number
  readonly entries: number
  readonly versions: number
  readonly claims: number
  readonly runs: number
}

/** An affected entry: the affected versions, those whose end is affected, and why. */
export type EntryRow = {
  readonly id: string
  readonly versions: readonly number[]
  readonly ends: readonly number[]
  readonly why: Why
  /** What becomes of it: contained, or an earlier version is current again, or nothing because it was changed since. */
  readonly effect: 'contained' | 'restored' | 'unchanged'
}

export type ClaimRow = {
  readonly id: string
  /** The winner before and after. */
  readonly before: string | null
  readonly after: string | null
  /** The withdrawals that are affected: the ordinals of the assertions, and the positions. */
  readonly withdrawn?: readonly (readonly [ordinal: number, position: number])[]
}

export type AffectedRunRow = {
  readonly id: string
  readonly isActive: boolean
  /** How many affected entries it read. */
  readonly read: number
  readonly wrote: readonly string[]
}

/** One page of what a containment affects. Pages are records of their own, so that none of them is large. */
export type ContainmentPart = {
  readonly entries: readonly EntryRow[]
  readonly claims: readonly ClaimRow[]
  readonly runs: readonly AffectedRunRow[]
}

export type ContainmentFacts = {
  readonly selector: ContainmentSelector
  /** As the request gave it. */
  readonly since: string | null
  /** The first position that counts. */
  readonly from: number
  readonly actor: string
  readonly at: number
  readonly position: number
  readonly status: 'applied' | 'released'
  readonly counts: ContainmentCounts
  readonly released: { readonly actor: string; readonly at: number; readonly position: number } | null
}

export type ContainmentRecord = {
  readonly id: string
  readonly revision: number
  readonly reason: string | null
  readonly facts: ContainmentFacts
}

/** The active containments, and the positions of all containments and releases. */
export type ContainmentState = {
  readonly revision: number
  readonly active: readonly ContainedRange[]
  readonly positions: readonly number[]
}

const stateId = 'state'

/** The active containments. One record, because every ingested source event is compared with them. */
export async function loadContainmentState({ storage, id }: Tenant): Promise<ContainmentState> {
  const record = await storage.record(id, 'containment-state', stateId)
  if (record === null) return { revision: 0, active: [], positions: [] }
  const { active, positions } = record.body.facts as Omit<ContainmentState, 'revision'>
  return { revision: record.revision, active, positions }
}

export function stateChange({ revision, ...facts }: ContainmentState): AdminChange {
  return { kind: 'containment-state', id: stateId, body: { text: {}, facts, sealed: {} }, expects: revision }
}

export function containmentChange({ id, revision, reason, facts }: ContainmentRecord): AdminChange {
  const body: AdminBody = { text: reason === null ? {} : { reason }, facts, sealed: {} }
  return { kind: 'containment', id, body, expects: revision }
}

/** The pages of a containment. */
export function partChanges(id: string, { entries, claims, runs }: ContainmentPart): AdminChange[] {
  const size = limits.containmentPageMax
  const pages = Math.ceil(Math.max(entries.length, claims.length, runs.length) / size)
  return Array.from({ length: pages }, (_, index) => {
    const cut = <T>(rows: readonly T[]) => rows.slice(index * size, (index + 1) * size)
    const facts = { entries: cut(entries), claims: cut(claims), runs: cut(runs) }
    return { kind: 'containment-part', id: partId(id, index), body: { text: {}, facts, sealed: {} }, expects: 0 }
  })
}

function partId(id: string, index: number): string {
  return `${id}:${String(index).padStart(4, '0')}`
}

/** One page of a containment; null after the last. */
export async function loadPart(tenant: Tenant, id: string, index: number): Promise<ContainmentPart | null> {
  const record = await tenant.storage.record(tenant.id, 'containment-part', partId(id, index))
  return record && (record.body.facts as ContainmentPart)
}

/** All pages of a containment, in order. */
export async function* loadParts(tenant: Tenant, id: string): AsyncGenerator<ContainmentPart> {
  for (let index = 0; ; index++) {
    const part = await loadPart(tenant, id, index)
    if (part === null) return
    yield part
  }
}

export async function findContainment(tenant: Tenant, id: string): Promise<ContainmentRecord> {
  const record = id.length > 128 ? null : await tenant.storage.record(tenant.id, 'containment', id)
  if (record === null) throw new ColophonError('not_found', 'There is no containment with this id.')
  return toRecord(record)
}

function toRecord({ id, revision, body }: AdminRecord): ContainmentRecord {
  const { reason } = body.text
  return { id, revision, reason: typeof reason === 'string' ? reason : null, facts: body.facts as ContainmentFacts }
}

/** A containment as the API returns it. */
export type ContainmentView = {
  readonly id: string
  readonly selector: ContainmentSelector
  readonly since?: string
  readonly reason?: string
  readonly status: 'applied' | 'released'
  readonly actor: string
  readonly at: string
  readonly position: number
  readonly counts: ContainmentCounts
  readonly released?: { readonly actor: string; readonly at: string; readonly position: number }
}

export function toContainmentView({ id, reason, facts }: ContainmentRecord): ContainmentView {
  const { selector, since, status, actor, at, position, counts, released } = facts
  return {
    id,
    selector,
    ...(since === null ? {} : { since }),
    ...(reason === null ? {} : { reason }),
    status,
    actor,
    at: toInstant(at),
    position,
    counts,
    ...(released === null ? {} : { released: { ...released, at: toInstant(released.at) } }),
  }
}

/** Lists containments ordered by id, oldest first. */
export async function listContainments(
  tenant: Tenant,
  query: { readonly after: string | null; readonly limit: number },
): Promise<readonly ContainmentView[]> {
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'containment', ...query })
  return records.map((record) => toContainmentView(toRecord(record)))
}

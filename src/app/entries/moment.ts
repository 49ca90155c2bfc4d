import { parseInstant, toInstant } from '../../core/check.ts'
import type { Tenant } from '../tenant.ts'
import { asOfView, type ReadOptions, type Snapshot } from './read.ts'

/** A moment of a tenant's memory, and the range of moments that can be read. */
export type ReadMoment = Snapshot & {
  /** No later position exists: it is the current state. */
  readonly isNow: boolean
  /** The first position that can be read. */
  readonly oldest: Snapshot
  /** The last commit. */
  readonly newest: Snapshot
}

/** The position and the instant that `asOf` names; without it, of the last commit. A position that is not retained is refused. */
export async function momentOf(tenant: Tenant, asOf: ReadOptions['asOf']): Promise<ReadMoment> {
  const clock = await tenant.storage.clock(tenant.id)
  const last = clock?.position ?? 0
  const position = (await asOfView(tenant, { asOf })).position ?? last
  // Position 0 is before the first commit, and has no instant of its own.
  const first = Math.min(Math.max(clock?.historyFrom ?? 0, 1), Math.max(last, 1))
  const instants = await tenant.storage.provenance.instants(tenant.id, [...new Set([position, first, last])])
  const at = (wanted: number) => toInstant(instants.get(wanted) ?? instants.get(first) ?? tenant.now())
  return {
    position,
    at: typeof asOf === 'string' ? toInstant(parseInstant('asOf', asOf)) : at(position),
    isNow: position >= last,
    oldest: { position: first, at: at(first) },
    newest: { position: last, at: at(last) },
  }
}

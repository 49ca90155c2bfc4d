import { ColophonError } from '../../core/errors.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { Affected } from './affected.ts'
import {
  type ContainmentRecord,
  type ContainmentView,
  containmentChange,
  findContainment,
  loadContainmentState,
  loadParts,
  stateChange,
  toContainmentView,
} from './containment-record.ts'
import { findEvents } from './find-seeds.ts'
import { loadLineage } from './lineage.ts'
import { removeMarks } from './marks.ts'
import { planMoves } from './plan-moves.ts'

/**
 * Releases a containment in one commit: everything is as if it had never been contained, with all that was written since. What another
 * active containment covers stays as it is.
 */
export async function release(
  tenant: Tenant,
  id: string,
  options: WriteOptions = {},
): Promise<{ readonly containment: ContainmentView; readonly repeated: boolean }> {
  const write = { ...options, call: { operation: 'contain.release', id } }
  return decideAndCommit(async () => {
    const record = await findContainment(tenant, id)
    if (record.facts.status === 'released') {
      if (await tenant.findOutcome(write)) return { containment: toContainmentView(record), repeated: true }
      throw new ColophonError('containment_state', 'The containment was released already.')
    }
    const position = ((await tenant.storage.clock(tenant.id))?.position ?? 0) + 1
    const actor = options.actor ?? tenant.engine.actor
    const facts = { ...record.facts, status: 'released' as const, released: { actor, at: tenant.now(), position } }
    const released = { ...record, facts }
    const { repeated } = await tenant.commit(await planRelease(tenant, released, position), write)
    return { containment: toContainmentView(repeated ? await findContainment(tenant, id) : released), repeated }
  })
}

async function planRelease(tenant: Tenant, record: ContainmentRecord, position: number): Promise<Change> {
  const { id } = record
  const state = await loadContainmentState(tenant)
  const active = state.active.filter((other) => other.id !== id)
  const entryIds: string[] = []
  const claimIds: string[] = []
  for await (const { entries, claims } of loadParts(tenant, id)) {
    entryIds.push(...entries.map((entry) => entry.id))
    claimIds.push(...claims.map((claim) => claim.id))
  }
  // Source events that were ingested while they were contained have claims that the containment did not know.
  for (const claimId of await laterClaims(tenant, record)) claimIds.push(claimId)
  const lineage = await loadLineage(
    tenant,
    active.map((other) => other.id),
  )
  const { puts, revisions, ends, expects, claims } = await planMoves(tenant, {
    entryIds,
    claimIds,
    lineage,
    positions: new Set(state.positions),
    remark: (claim, assertions, stateOf) => removeMarks({ id, lineage, claim, assertions, stateOf }),
  })
  const { counts } = record.facts
  return {
    kind: 'containment.released',
    puts,
    revisions,
    ends,
    expects,
    claims,
    admin: [containmentChange(record), stateChange({ ...state, active, positions: [...state.positions, position] })],
    counts,
    expectsPosition: position - 1,
    changesRedaction: true,
  }
}

/** The claims of source events that were ingested while they were contained. */
async function laterClaims(tenant: Tenant, { id, facts }: ContainmentRecord): Promise<ReadonlySet<string>> {
  const affected = new Affected(facts.selector, facts.from)
  await findEvents(tenant, affected)
  const claimIds = new Set<string>()
  for (const eventId of affected.events)
    for (const { claimId, containedBy } of await tenant.storage.provenance.assertionsOfEvent(tenant.id, eventId))
      if (containedBy?.includes(id)) claimIds.add(claimId)
  return claimIds
}

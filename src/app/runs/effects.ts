import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Tenant } from '../tenant.ts'
import { getRun } from './control.ts'
import { allCalls } from './recorded-run.ts'

/** One change of memory by a node of a run, without content. */
export type RunEffect = Pick<MemoryCall, 'ordinal' | 'nodeId' | 'at'> & { readonly attempt: number }

/** What the nodes of a run changed outside of it, in order. A replay changes nothing, and a branch has the effects of its own events only. */
export async function runEffects(tenant: Tenant, runId: string): Promise<RunEffect[]> {
  const { facts } = await getRun(tenant, runId)
  if (facts.fork?.mode === 'replay') return []
  const from = facts.fork?.fromSeq ?? 0
  const isEffect = ({ op, memoryRef, sequence }: MemoryCall) =>
    (op === 'put' || op === 'delete') && !isEphemeralRef(memoryRef) && sequence >= from
  return (await allCalls(tenant, runId)).filter(isEffect).map(({ ordinal, nodeId, at }) => {
    return { ordinal, nodeId, at, attempt: Math.max(facts.nodes[nodeId]?.attempt ?? 1, 1) }
  })
}

import { isArchiveRef } from '../../core/distillation/archive.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Tenant } from '../tenant.ts'
import { getRun } from './control.ts'
import { allCalls } from './recorded-run.ts'
import { loadDefinition } from './workflow-registry.ts'

const distillTypeId = 'colophon.memory.distill'

/** One change of memory by a node of a run, without content. */
export type RunEffect = Pick<MemoryCall, 'ordinal' | 'nodeId' | 'at'> & {
  readonly attempt: number
  /** The archive, if it is one: the same sources and budget give the same one in every run. */
  readonly archiveId: string | null
}

/** What the nodes of a run changed outside of it, in order. A replay changes nothing, and a branch has the effects of its own events only. */
export async function runEffects(tenant: Tenant, runId: string): Promise<RunEffect[]> {
  const { facts, workflowId, workflowVersion } = await getRun(tenant, runId)
  if (facts.fork?.mode === 'replay') return []
  const from = facts.fork?.fromSeq ?? 0
  const calls = (await allCalls(tenant, runId)).filter(({ sequence }) => sequence >= from)
  // An archive is recorded as it is found again: as a read of its id. Other nodes can read it too.
  const hasArchives = calls.some(isArchiveRead)
  const nodes = hasArchives ? (await loadDefinition(tenant, workflowId, workflowVersion)).nodes : []
  const distills = new Set(nodes.flatMap(({ id, typeId }) => (typeId === distillTypeId ? [id] : [])))
  const isArchive = (call: MemoryCall) => isArchiveRead(call) && distills.has(call.nodeId)
  const isWrite = ({ op, memoryRef }: MemoryCall) => (op === 'put' || op === 'delete') && !isEphemeralRef(memoryRef)
  return calls
    .filter((call) => isWrite(call) || isArchive(call))
    .map((call) => {
      const { ordinal, nodeId, at } = call
      const attempt = Math.max(facts.nodes[nodeId]?.attempt ?? 1, 1)
      return { ordinal, nodeId, at, attempt, archiveId: isArchive(call) ? (call.entries[0]?.id ?? null) : null }
    })
}

function isArchiveRead({ op, memoryRef, entries }: MemoryCall): boolean {
  return op === 'get' && isArchiveRef(memoryRef) && entries.length > 0
}

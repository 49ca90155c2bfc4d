import { limits } from '../../core/limits.ts'
import { maintenanceWorkflowId, type RunStep } from '../../core/run/run.ts'
import { toNewRunStep } from '../runs/new-run.ts'
import type { Tenant } from '../tenant.ts'

export type CompactionFacts = {
  readonly memoryRef: string
  readonly outputId: string
  readonly tags: readonly string[]
  readonly sourceIds: readonly string[]
  readonly byteSize: number
  readonly trigger: CompactionTrigger
}

/** What started a pass, as OpenWOP names it: the schedule of the host, or the request of a client. */
export type CompactionTrigger = 'host-managed' | 'client-requested'

/**
 * The run whose event log records a compaction. It is created and ended in the commit of the compaction, so neither exists
 * without the other. It has no nodes and no session summary.
 */
export function maintenanceRun(
  tenant: Tenant,
  parts: { readonly runId: string; readonly jobId: string; readonly actor: string },
  { memoryRef, outputId, tags, sourceIds, byteSize, trigger }: CompactionFacts,
): RunStep {
  const step = toNewRunStep({
    runId: parts.runId,
    workflowId: maintenanceWorkflowId,
    workflowVersion: 0,
    facts: {
      actor: parts.actor,
      jobId: parts.jobId,
      bounds: { nodeExecutionsMax: 0, durationMs: limits.runDurationMsMax },
      startedAt: tenant.now(),
      memoryWrites: 1,
    },
    text: { inputs: {}, variables: {}, configurable: {} },
  })
  const owner = { tenant: tenant.id, principal: parts.actor }
  const named = sourceIds.length <= limits.compactionSourcesShownMax ? { sourceIds } : {}
  const sourceCount = sourceIds.length
  const event = (type: string, facts: Readonly<Record<string, unknown>>, text?: Readonly<Record<string, unknown>>) => ({
    type,
    nodeId: null,
    facts,
    ...(text === undefined ? {} : { text }),
  })
  return {
    ...step,
    run: { ...step.run, status: 'completed' },
    events: [
      event('run.started', { workflowId: maintenanceWorkflowId, owner }),
      event('memory.written', { memoryRef, memoryId: outputId }, { tags }),
      event('memory.compacted', { memoryRef, outputId, sourceCount, trigger, byteSize, ...named }),
      event('run.completed', { outputs: {} }),
    ],
  }
}

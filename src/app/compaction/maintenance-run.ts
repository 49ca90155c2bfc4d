import { limits } from '../../core/limits.ts'
import { maintenanceWorkflowId, type NewRunEvent, type RunStep } from '../../core/run/run.ts'
import { toNewRunStep } from '../runs/new-run.ts'
import type { Tenant } from '../tenant.ts'

export type CompactionFacts = {
  readonly memoryRef: string
  readonly outputId: string
  readonly tags: readonly string[]
  readonly sourceIds: readonly string[]
  readonly byteSize: number
  readonly trigger: CompactionTrigger
  /** Of a distillation: its budget, and the ref of its archive. */
  readonly distillation?: {
    readonly tokenBudget: number
    readonly tokensUsed: number
    readonly indexUpdated: boolean
  }
  readonly outputRef?: string
  /** The workspace file that it wrote. */
  readonly file?: { readonly path: string; readonly version: number }
}

/** What started a pass, as OpenWOP names it: the schedule of the host, or the request of a client. */
export type CompactionTrigger = 'host-managed' | 'client-requested'

/**
 * The run whose event log records a compaction. It is created and ended in the commit of the compaction, so neither exists
 * without the other.
 */
export function maintenanceRun(tenant: Tenant, parts: MaintenanceParts, facts: CompactionFacts): RunStep {
  return recordRun(tenant, { ...parts, memoryWrites: 1 }, compactionEvents(facts))
}

/** What the log says of a compaction: the entry, the file, and what they were made of. By a node, each event names it. */
export function compactionEvents(
  { memoryRef, outputId, tags, sourceIds, byteSize, trigger, distillation, outputRef, file }: CompactionFacts,
  by: { readonly nodeId: string; readonly agentId: string | null } | null = null,
): NewRunEvent[] {
  const named = sourceIds.length <= limits.compactionSourcesShownMax ? { sourceIds } : {}
  const sourceCount = sourceIds.length
  const agent = by === null || by.agentId === null ? {} : { agentId: by.agentId }
  const node = by === null ? {} : { nodeId: by.nodeId, ...agent }
  const written = { memoryRef: outputRef ?? memoryRef, memoryId: outputId, ...node }
  return [
    maintenanceEvent('memory.written', written, { tags }),
    ...(file === undefined ? [] : [maintenanceEvent('workspace.updated', file)]),
    maintenanceEvent('memory.compacted', {
      ...{ memoryRef, outputId, sourceCount, trigger, byteSize },
      ...named,
      ...(distillation === undefined ? {} : { distillation }),
    }),
  ].map((event) => ({ ...event, nodeId: by?.nodeId ?? null }))
}

type MaintenanceParts = { readonly runId: string; readonly jobId: string; readonly actor: string }

/** An event of a maintenance run. No node made it. */
export function maintenanceEvent(
  type: string,
  facts: Readonly<Record<string, unknown>>,
  text?: Readonly<Record<string, unknown>>,
) {
  return { type, nodeId: null, facts, ...(text === undefined ? {} : { text }) }
}

/** A run that exists only as a record of what a pass did in one commit. It has no nodes and no session summary. */
export function recordRun(
  tenant: Tenant,
  parts: MaintenanceParts & {
    readonly memoryWrites: number
    /** What the run shows beside its events. No text of memory. */
    readonly variables?: Readonly<Record<string, unknown>>
  },
  events: readonly NewRunEvent[],
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
      memoryWrites: parts.memoryWrites,
    },
    text: { inputs: {}, variables: parts.variables ?? {}, configurable: {} },
  })
  const owner = { tenant: tenant.id, principal: parts.actor }
  return {
    ...step,
    run: { ...step.run, status: 'completed' },
    events: [
      maintenanceEvent('run.started', { workflowId: maintenanceWorkflowId, owner }),
      ...events,
      maintenanceEvent('run.completed', { outputs: {} }),
    ],
  }
}

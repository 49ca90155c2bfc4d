import type { InterruptRequest } from '../../core/run/interrupt.ts'
import { maskInterruptRequest, maskRunText } from '../../core/run/mask.ts'
import { isEnded, maintenanceWorkflowId, type Run } from '../../core/run/run.ts'
import type { AgentRef, WorkflowNode } from '../../core/workflow/definition.ts'
import { defaultWorkspace } from '../../core/workspace/workspace-file.ts'
import type { Tenant } from '../tenant.ts'
import { listFiles, type StoredFile } from '../workspace/files.ts'
import { createInterruptToken } from './resolve-interrupt.ts'
import { loadDefinition, maskOfRun } from './workflow-registry.ts'

/** A run as clients see it, its current node, and the interrupt it waits for. Sensitive values are masked. */
export type RunDescription = {
  readonly tenantId: string
  readonly run: Run
  readonly currentNodeId: string | null
  readonly question: {
    readonly nodeId: string
    readonly interruptId: string
    readonly request: InterruptRequest
    /** Null also for a caller without the scope to answer, because the token alone lets its bearer answer. */
    readonly token: string | null
  } | null
  /** The workspace files that the run sees: those of its snapshot. */
  readonly workspace: readonly StoredFile[]
  /** The agent of the node that started last; null when no node of the run has one. */
  readonly agent: AgentRef | null
}

/** Describes a run for a client. `withTokens` adds the token of its interrupt, `withFiles` the workspace files that it sees. */
export async function describeRun(
  tenant: Tenant,
  run: Run,
  { withTokens, withFiles = false }: { readonly withTokens: boolean; readonly withFiles?: boolean },
): Promise<RunDescription> {
  const currentNodeId = currentNode(run)
  const interrupt = currentNodeId === null ? undefined : run.text.interrupts[currentNodeId]
  const mask = await maskOfRun(tenant, run)
  const shown = mask === null ? run : { ...run, text: maskRunText(run.text, mask) }
  const { position } = run.snapshot
  const workspace = withFiles ? await listFiles(tenant, defaultWorkspace, { position }) : []
  const described = { tenantId: tenant.id, run: shown, currentNodeId, workspace, agent: await agentOf(tenant, run) }
  if (currentNodeId === null || !interrupt || interrupt.resolution !== null) return { ...described, question: null }
  const { interruptId, request } = interrupt
  const token = withTokens ? await createInterruptToken(tenant, run, currentNodeId) : null
  const asked = mask === null ? request : maskInterruptRequest(request, run.text, mask)
  return { ...described, question: { nodeId: currentNodeId, interruptId, request: asked, token } }
}

async function agentOf(tenant: Tenant, { workflowId, workflowVersion, facts }: Run): Promise<AgentRef | null> {
  if (workflowId === maintenanceWorkflowId) return null
  const { nodes } = await loadDefinition(tenant, workflowId, workflowVersion)
  const startOf = ({ id }: WorkflowNode) => facts.nodes[id]?.startedAt ?? 0
  const started = nodes.filter(({ id, agent }) => agent !== undefined && facts.nodes[id] !== undefined)
  return started.sort((a, b) => startOf(b) - startOf(a))[0]?.agent ?? null
}

/** The first node that waits for an answer; otherwise the first that is running or waiting. */
function currentNode(run: Run): string | null {
  if (isEnded(run.status)) return null
  const nodes = Object.entries(run.facts.nodes)
  const asking = nodes.find(([id, { status }]) => status === 'waiting' && run.text.interrupts[id]?.resolution === null)
  return (asking ?? nodes.find(([, { status }]) => status === 'running' || status === 'waiting'))?.[0] ?? null
}

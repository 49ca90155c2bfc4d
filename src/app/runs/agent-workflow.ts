import type { Scope } from '../../core/access/scopes.ts'
import { toolSurface } from '../../core/agents/tools.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { invalid } from '../../core/errors.ts'
import { getAgent } from '../agents.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { currentWorkflow, putWorkflow } from './workflow-registry.ts'

/** The id of the workflow behind runs that name an agent instead of a workflow. Ids of workflows have no dots and no capitals. */
function agentWorkflowId(agentId: string): string {
  const readable = agentId.toLowerCase().replaceAll('.', '-').slice(0, 80)
  return `agent-${readable}-${sha256(agentId).slice(0, 12)}`
}

/** Registers the workflow that dispatches an agent with the input `task`, unless it is there. Returns its id. */
export async function agentWorkflow(
  tenant: Tenant,
  agentId: string,
  inputs: Readonly<Record<string, unknown>>,
  { actor }: WriteOptions,
): Promise<string> {
  await getAgent(tenant, agentId)
  if (inputs.task === undefined) throw invalid('inputs.task', 'must be the task of the agent')
  const config = { task: '{{inputs.task}}', memoryRef: '{{variables.memoryRef}}', into: 'result' }
  const node = {
    id: 'agent',
    typeId: 'colophon.agent.run',
    name: agentId,
    position: { x: 0, y: 0 },
    config,
    inputs: {},
  }
  const document = {
    id: agentWorkflowId(agentId),
    name: `Agent ${agentId}`,
    version: '1.0',
    nodes: [{ ...node, agent: { agentId } }],
    edges: [],
    triggers: [],
    variables: [{ name: 'memoryRef', type: 'string', defaultValue: '' }],
    metadata: {},
    settings: {},
  }
  return (await putWorkflow(tenant, document, actor === undefined ? {} : { actor })).id
}

type NamedRef = {
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
  readonly inputs?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The scopes that a key needs for the ref which it names in the inputs of a run of an agent. The agent reads that ref, and writes it if a
 * tool of its can: without these scopes the caller would reach through the agent what its key does not allow. The workflow of an agent can be
 * named by its own id too.
 */
export async function scopesOfNamedRef(tenant: Tenant, { inputs = {}, ...run }: NamedRef): Promise<readonly Scope[]> {
  const { memoryRef } = inputs
  if (memoryRef === undefined || memoryRef === '') return []
  const agentId = run.agentId ?? (await agentOfWorkflow(tenant, run.workflowId ?? ''))
  if (agentId === null) return []
  const { toolAllowlist } = await getAgent(tenant, agentId)
  const writes = toolSurface(toolAllowlist, true).some((tool) => tool.writes)
  return writes ? ['memory:read', 'memory:write'] : ['memory:read']
}

async function agentOfWorkflow(tenant: Tenant, workflowId: string): Promise<string | null> {
  if (!workflowId.startsWith('agent-')) return null
  const [node] = (await currentWorkflow(tenant, workflowId))?.definition.nodes ?? []
  const agentId = node?.agent?.agentId
  return agentId !== undefined && agentWorkflowId(agentId) === workflowId ? agentId : null
}

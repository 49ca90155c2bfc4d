import { sha256 } from '../../core/audit/digest.ts'
import { invalid } from '../../core/errors.ts'
import { getAgent } from '../agents.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { putWorkflow } from './workflow-registry.ts'

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

import type { HostNodeRequest, NodeType } from '../app/runs/node-type.ts'
import { agentRun } from '../nodes/agent-run.ts'

/** The agent with handoff schemas that the conformance tests dispatch. */

const taskPath = 'schemas/structured-fixture.task.schema.json'
const returnPath = 'schemas/structured-fixture.return.schema.json'

const text = { type: 'string', minLength: 1 }

const taskSchema = {
  type: 'object',
  required: ['text', 'extractionFields'],
  properties: { text, extractionFields: { type: 'array', items: text, minItems: 1 }, language: text },
  additionalProperties: false,
}

/** An agent without a model gives such an answer too. */
const returnSchema = {
  type: 'object',
  required: ['answer'],
  properties: { answer: { type: ['string', 'null'] } },
}

/** The workspace files behind its references. */
export const schemaFiles: Readonly<Record<string, string>> = {
  [taskPath]: JSON.stringify(taskSchema),
  [returnPath]: JSON.stringify(returnSchema),
}

export const structuredAgent = {
  agentId: 'core.openwop.agent-examples.structured-fixture',
  persona: 'Structured fixture',
  label: 'Conformance agent with handoff schemas',
  modelClass: 'general',
  systemPrompt: 'You extract the fields of a text.',
  toolAllowlist: [],
  // Its answers are looked at, not its confidence.
  confidence: { defaultThreshold: 0 },
  handoff: { taskSchemaRef: taskPath, returnSchemaRef: returnPath },
}

/** With this as the input `scenario`, whatever the agent gives back does not fit. */
export const returnViolation = 'mock-return-violation'

const nothingFits = { not: {} }

/** `colophon.agent.run` with the inputs of the run as the task. */
export const agentProbe: NodeType = {
  typeId: 'conformance.agent.run',
  description: 'Dispatches the agent of the node with the inputs of the run as its task.',
  config: {},
  replay: 'effects',
  async execute(request) {
    const { agent, ...host } = request as HostNodeRequest
    const { scenario, ...task } = host.scope.inputs
    const isForced = scenario === returnViolation
    const probed: HostNodeRequest = {
      ...host,
      config: { task, into: 'result' },
      agent: async () => (isForced ? { ...(await agent()), returnSchema: nothingFits } : agent()),
    }
    return agentRun.execute(probed)
  },
}

import type { TriggerRule, WorkflowDefinition, WorkflowEdge, WorkflowNode } from '../../src/core/workflow/definition.ts'
import { type FlowPlan, flowsMax, type NodeKind, type NodePlan, planRefs, planTags } from './run-plan.ts'

/** The workflow document of a plan. Node `n3` leaves its result in the variable `v3`, and no other node writes there. */

/** The instant at which every scenario begins. */
export const dawn = Date.parse('2026-01-01T00:00:00Z')

const nodeIdOf = (index: number) => `n${index}`
export const variableOf = (index: number) => `v${index}`
export const indexOf = (nodeId: string) => Number(nodeId.slice(1))
export const flowIdOf = (flow: number) => `flow-${flow}`
export const flowOf = (workflowId: string) => Number(workflowId.slice('flow-'.length))

const rules: readonly (TriggerRule | null)[] = [null, 'any_failed', 'all_complete', 'any_success', 'none_failed']

const conditions = [
  { type: 'equals', left: 'inputs.flag', right: true },
  { type: 'notEquals', left: 'output.count', right: 0 },
  { type: 'equals', left: 'output.found', right: true },
  { type: 'equals', left: 'output.deleted', right: true },
] as const

export function toDefinition(plans: readonly FlowPlan[], flow: number): WorkflowDefinition {
  const plan = plans[flow] as FlowPlan
  const nodes = plan.nodes.map((node, index) => toNode(plan, node, index, flow))
  return {
    id: flowIdOf(flow),
    name: flowIdOf(flow),
    version: '1',
    nodes: plan.isReversed ? nodes.toReversed() : nodes,
    edges: plan.nodes.flatMap(toEdges),
    triggers: [{ id: 'm', type: 'manual' }],
    variables: [],
    metadata: {},
    settings: plan.timeoutMs === null ? {} : { timeout: plan.timeoutMs },
  }
}

function toEdges({ edges }: NodePlan, index: number): WorkflowEdge[] {
  if (index === 0) return []
  return edges.map(({ back, rule, condition }, nth) => {
    const triggerRule = rules[rule] ?? null
    const open = condition === null ? undefined : conditions[condition]
    return {
      id: `e${index}-${nth}`,
      sourceNodeId: nodeIdOf(index - 1 - (back % index)),
      targetNodeId: nodeIdOf(index),
      ...(triggerRule === null ? {} : { triggerRule }),
      ...(open === undefined ? {} : { condition: open }),
    }
  })
}

function toNode(plan: FlowPlan, { does, agent, isDisabled }: NodePlan, index: number, flow: number): WorkflowNode {
  return {
    id: nodeIdOf(index),
    name: nodeIdOf(index),
    position: { x: 0, y: 0 },
    inputs: does.kind === 'identity' ? { [variableOf(index)]: { type: 'static', value: index } } : {},
    ...toTypeAndConfig(plan, does, index, flow),
    ...(agent ? { agent: { agentId: 'ann' } } : {}),
    ...(isDisabled ? { disabled: true } : {}),
  }
}

function toTypeAndConfig(plan: FlowPlan, does: NodeKind, index: number, flow: number) {
  const into = variableOf(index)
  switch (does.kind) {
    case 'put': {
      const { ttl, tag, keepsResult } = does
      const quoted = quotedBy(plan, index)
      const content = `of n${index}${quoted === null ? '' : `, after {{variables.${quoted}.0.content}}`}`
      const optional = {
        ...(ttl === null ? {} : { expiresAt: new Date(dawn + ttl).toISOString() }),
        ...(tag === null ? {} : { tags: [planTags[tag]] }),
        ...(keepsResult ? { into } : {}),
      }
      return { typeId: 'colophon.memory.put', config: { memoryRef: refOf(plan, index), content, ...optional } }
    }
    case 'list': {
      const { limit, tag } = does
      const optional = { ...(limit === null ? {} : { limit }), ...(tag === null ? {} : { tag: planTags[tag] }) }
      return { typeId: 'colophon.memory.list', config: { memoryRef: refOf(plan, index), into, ...optional } }
    }
    case 'get':
    case 'delete': {
      const config = { memoryRef: refOf(plan, index), id: idTemplate(plan, index), into }
      return { typeId: `colophon.memory.${does.kind}`, config }
    }
    case 'identity':
      return { typeId: 'core.identity', config: {} }
    case 'delay':
      return { typeId: 'core.delay', config: { ms: does.ms } }
    case 'sub': {
      const child = flow + 1 + (does.flow % flowsMax)
      // A workflow calls only later ones, so there is no recursion; the last ones call none.
      if (child >= flowsMax) return { typeId: 'core.noop', config: {} }
      return {
        typeId: 'core.subWorkflow',
        config: {
          workflowId: flowIdOf(child),
          inputMapping: { known: 'inputs.known', flag: 'inputs.flag', empty: 'inputs.empty' },
          outputMapping: { [into]: variableOf(0) },
          onChildFailure: does.onFailure,
          memoryScopeIsolation: does.isIsolated ? 'isolated' : 'shared',
          waitForCompletion: does.isDetached !== true,
        },
      }
    }
    case 'gate':
      return {
        typeId: 'core.approvalGate',
        config: { into, actions: ['accept', 'reject', 'ask'], timeoutMs: does.timeoutMs ?? 0 },
      }
    case 'fail':
      return { typeId: 'core.fail', config: { message: `n${index} fails` } }
  }
}

/** The variable of the list that a put quotes the newest entry of; null when the node it points at is no list. */
export function quotedBy(plan: FlowPlan, index: number): string | null {
  const does = plan.nodes[index]?.does
  if (does?.kind !== 'put' || does.quotes === null || index === 0) return null
  const source = index - 1 - (does.quotes % index)
  return plan.nodes[source]?.does.kind === 'list' ? variableOf(source) : null
}

/** The ref that a memory node works on. */
export function refOf(plan: FlowPlan, index: number): string {
  const does = plan.nodes[index]?.does
  if (does === undefined || !('ref' in does)) return ''
  const source = 'id' in does && does.id.from === 'node' && !does.id.isElsewhere ? sourceOf(plan, index) : null
  return source === null || !('ref' in source.does) ? (planRefs[does.ref] ?? '') : refOf(plan, source.index)
}

/** The node whose result a get or delete takes its id from; null when it has none to give. */
function sourceOf(plan: FlowPlan, index: number): { readonly index: number; readonly does: NodeKind } | null {
  const does = plan.nodes[index]?.does
  if (does === undefined || !('id' in does) || does.id.from !== 'node' || index === 0) return null
  const at = index - 1 - (does.id.back % index)
  const source = plan.nodes[at]?.does
  const gives = source?.kind === 'put' ? source.keepsResult : ['list', 'get', 'gate'].includes(source?.kind ?? '')
  return source && gives ? { index: at, does: source } : null
}

function idTemplate(plan: FlowPlan, index: number): string {
  const does = plan.nodes[index]?.does
  const id = does && 'id' in does ? does.id : null
  if (id?.from === 'empty') return '{{inputs.empty}}'
  const source = sourceOf(plan, index)
  if (source) return `{{variables.${variableOf(source.index)}${source.does.kind === 'list' ? '.0' : ''}.id}}`
  return `{{inputs.known.${id?.from === 'known' ? id.nth : 0}}}`
}

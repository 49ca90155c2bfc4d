import { invalid } from '../core/errors.ts'
import { checkQuorum } from '../core/run/quorum.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'
import { defineNodeType } from './define-node-type.ts'
import {
  answered,
  answerVariableMember,
  checkTimeout,
  interrupted,
  timedOut,
  timeoutMember,
} from './interrupt-result.ts'

const knownActions = ['accept', 'reject', 'refine', 'edit-accept', 'ask']

export const approvalGate = defineNodeType({
  typeId: 'core.approvalGate',
  description: 'Waits for a decision. A rejection fails the node, so the nodes after it need an approval.',
  config: {
    actions: { description: 'the actions an approver may choose' },
    title: { description: 'the title; the name of the node by default' },
    artifactId: { description: 'the id of what is to be approved' },
    artifactType: { description: 'its type' },
    artifactData: { description: 'its data' },
    approversList: { description: 'the keys that may approve' },
    requiredApprovals: { description: 'how many of them must approve' },
    timeoutMs: timeoutMember,
    into: answerVariableMember,
  },
  hasLenientConfig: true,
  replay: 'asks',
  checkConfig(config, field) {
    const { actions, timeoutMs } = config
    checkTimeout(timeoutMs, field)
    checkQuorum(config, field, 'written')
    if (actions === undefined) return
    const isList =
      Array.isArray(actions) && actions.length > 0 && actions.every((action) => knownActions.includes(action))
    if (!isList) throw invalid(`${field}.actions`, `must be a list of ${knownActions.join(', ')}`)
  },
  acceptsErased: true,
  async execute(request) {
    const { config, resolution, isTimedOut } = request
    if (isTimedOut) return notInTime
    if (resolution === null) {
      refuseErased([config.approversList, config.requiredApprovals])
      checkQuorum(config, 'config', 'filled')
      return interrupted(request, toApprovalRequest)
    }
    const value = resolution.value as { readonly action: string }
    refuseErased(value.action)
    if (value.action === 'timeout') return notInTime
    if (value.action === 'reject')
      return { kind: 'failed', error: { code: 'approval_rejected', message: 'The approval was rejected.' } }
    return answered(value, config.into)
  },
})

/** A timeout is a rejection: the details distinguish it from the timeout of another interrupt. */
const notInTime = {
  kind: 'failed',
  error: { ...timedOut.error, details: { kind: 'approval', action: 'timeout' } },
} as const

function toApprovalRequest(node: WorkflowNode, config: JsonObject) {
  const { actions = ['accept', 'reject'], title, artifactId, artifactType } = config
  const { approversList, requiredApprovals, artifactData } = config
  const optional = Object.entries({ approversList, requiredApprovals, artifactData }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    kind: 'approval',
    key: node.id,
    data: {
      artifactId: textOr(artifactId, node.id),
      artifactType: textOr(artifactType, 'approval'),
      title: textOr(title, node.name),
      actions: [...new Set(actions as string[])],
      ...Object.fromEntries(optional),
    },
  } as const
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}

import type { NodeType } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import { answered, timedOut } from './answers.ts'

const knownActions = ['accept', 'reject', 'refine', 'edit-accept', 'ask']

/** Waits until somebody decides. A rejection fails the node, so that what follows an approval needs one. */
export const approvalGate: NodeType = {
  typeId: 'core.approvalGate',
  checkConfig({ actions }, field) {
    if (actions === undefined) return
    const isList =
      Array.isArray(actions) && actions.length > 0 && actions.every((action) => knownActions.includes(action))
    if (!isList) throw invalid(`${field}.actions`, `must be a list of ${knownActions.join(', ')}`)
  },
  async execute({ node, config, resolution, isTimedOut }) {
    if (isTimedOut) return timedOut
    if (resolution !== null) {
      const value = resolution.value as { readonly action: string }
      if (value.action === 'reject')
        return { kind: 'failed', error: { code: 'approval_rejected', message: 'The approval was refused.' } }
      return answered(value, config.into)
    }
    const { actions = ['accept', 'reject'], title, artifactId, artifactType, timeoutMs, ...rest } = config
    const { approversList, requiredApprovals, artifactData } = rest
    const optional = Object.entries({ approversList, requiredApprovals, artifactData }).filter(
      ([, value]) => value !== undefined,
    )
    return {
      kind: 'interrupt',
      request: {
        kind: 'approval',
        key: node.id,
        data: {
          artifactId: textOr(artifactId, node.id),
          artifactType: textOr(artifactType, 'approval'),
          title: textOr(title, node.name),
          actions: [...new Set(actions as string[])],
          ...Object.fromEntries(optional),
        },
        ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
      },
    }
  },
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}

import { ColophonError } from '../../core/errors.ts'

const streamModes = ['updates', 'values', 'messages', 'debug'] as const

export type StreamMode = (typeof streamModes)[number]

/** The events of the mode `updates`: those that a person needs to follow a run. `debug` has all events. */
const updateTypes: ReadonlySet<string> = new Set([
  'run.started',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
  'run.resumed',
  'node.completed',
  'node.failed',
  'node.skipped',
  'node.suspended',
  'node.dispatched',
  'channel.written',
  'conversation.opened',
  'conversation.exchanged',
  'conversation.closed',
  'runOrchestrator.decided',
  'core.workflowChain.event',
  'core.workflowChain.confidence-escalated',
  'approval.requested',
  'approval.received',
  'clarification.requested',
  'clarification.resolved',
  'interrupt.requested',
  'interrupt.resolved',
  'artifact.created',
  'workspace.updated',
  'memory.written',
  'memory.compacted',
  'agent.memory.consolidated',
  'commitment.fired',
])

const messageTypes: ReadonlySet<string> = new Set(['output.chunk', 'ai.message.chunk'])

/** `values` is used alone; the others may be combined, and give the union. */
export function parseStreamModes(text: string | undefined): readonly StreamMode[] {
  if (text === undefined) return ['updates']
  const modes = text.split(',')
  const known = modes.filter((mode): mode is StreamMode => (streamModes as readonly string[]).includes(mode))
  if (known.length === modes.length && (known.length === 1 || !known.includes('values'))) return known
  throw new ColophonError('unsupported_stream_mode', 'The stream mode is not supported.', {
    details: { supported: streamModes },
  })
}

export function isUpdate(type: string): boolean {
  return updateTypes.has(type)
}

export function isShown(type: string, modes: readonly StreamMode[], isUpdateType = isUpdate): boolean {
  return modes.some((mode) => {
    if (mode === 'debug') return true
    return mode === 'messages' ? messageTypes.has(type) : isUpdateType(type)
  })
}

/** Events that are not buffered: a person must act on them, or no event follows. */
export function isUrgent(type: string): boolean {
  return type === 'node.suspended' || type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled'
}

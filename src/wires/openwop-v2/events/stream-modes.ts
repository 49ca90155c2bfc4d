/** Types of the mode `updates` in version 2. Memory events are only in `debug` and in a poll. */
const updateTypes: ReadonlySet<string> = new Set([
  'run.started',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
  'run.resume-started',
  'run.resumed',
  'run.dead-lettered',
  'node.completed',
  'node.failed',
  'node.skipped',
  'node.cancelled',
  'node.suspended',
  'node.dispatched',
  'interrupt.requested',
  'interrupt.resolved',
  'artifact.created',
  'workspace.updated',
])
const updatePrefixes = ['approval.', 'clarification.', 'eval.', 'deployment.']

export function isUpdate(type: string): boolean {
  return updateTypes.has(type) || updatePrefixes.some((prefix) => type.startsWith(prefix))
}

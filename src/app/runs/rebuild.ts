import { Progress } from '../../core/run/progress.ts'
import type { Run, RunEvent, RunStep } from '../../core/run/run.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import { isFailureHandled } from '../../core/workflow/plan.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import type { Tenant } from '../tenant.ts'
import { createYielding } from '../yielding.ts'
import { Leg } from './leg.ts'
import { isOfSession, type RecordedRun } from './recorded.ts'
import { retell } from './retell.ts'
import { loadDefinition } from './workflows.ts'

/**
 * The first step of a fork: the state that its source had before one of its events, with the events and the memory calls
 * up to there.
 */
export async function rebuild(tenant: Tenant, source: RecordedRun, fromSeq: number, step: RunStep): Promise<RunStep> {
  const { run } = source
  const definition = await loadDefinition(tenant, run.workflowId, run.workflowVersion)
  const blank: Run = { ...run, ...step.run, revision: 0, nextSequence: 0, endedAt: null }
  const lease = { jobId: '', leaseToken: '', spent: false }
  const leg = new Leg({ tenant, definition, lease, source, progress: new Progress(blank) })
  leg.progress.set({ text: { variables: initialVariables(definition, run.text.inputs) } })
  const end = endOfGroup(source.events, definition, fromSeq)
  const yieldWhenLong = createYielding()
  for (const event of source.events.slice(0, end)) {
    await yieldWhenLong()
    await retell(leg, source, event)
  }
  const { facts, text, status, events, calls } = leg.progress
  return { ...step, run: { ...step.run, status, facts, text }, events, calls }
}

/** Some events are told together, with one step. A point between them means the point behind the last of them. */
function endOfGroup(events: readonly RunEvent[], definition: WorkflowDefinition, fromSeq: number): number {
  for (let end = fromSeq; ; end++) {
    const [last, next] = [events[end - 1], events[end]]
    if (!last || !next || !isToldWith(definition, last, next)) return end
  }
}

const questionEvents = ['node.suspended', 'interrupt.requested', 'approval.requested']
const answerEvents = ['interrupt.resolved', 'approval.received', 'node.resumed']

function isToldWith(definition: WorkflowDefinition, last: RunEvent, next: RunEvent): boolean {
  // What comes behind these is the end of the run.
  const isFatal = last.type === 'node.failed' && !isFailureHandled(definition, last.nodeId ?? '')
  if (isOfSession(last) || isFatal || last.type === 'cap.breached') return true
  const isIn = (group: readonly string[]) =>
    group.includes(last.type) && group.indexOf(next.type) > group.indexOf(last.type)
  return last.nodeId === next.nodeId && (isIn(questionEvents) || isIn(answerEvents))
}

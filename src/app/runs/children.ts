import type { OwnWrites } from '../../core/entries/as-of.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Run, RunFacts } from '../../core/run/run.ts'
import type { WorkflowNode } from '../../core/workflow/definition.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import { boundsOf, toNewRunStep, toRunJob, trustFacts } from './new-run.ts'
import type { ChildRequest } from './node-type.ts'
import type { RunExecution } from './run-execution.ts'
import { deadlineOf } from './timers.ts'
import { currentWorkflow } from './workflow-registry.ts'

/**
 * Starts a child run, which is stored with the parent's next step. It reads at the parent's snapshot and sees the parent's
 * writes so far. An isolated child sees the snapshot only.
 */
export async function startChild(execution: RunExecution, node: WorkflowNode, request: ChildRequest): Promise<string> {
  const { tenant, progress } = execution
  const depth = (progress.facts.parent?.depth ?? 0) + 1
  if (depth > limits.runDepthMax) {
    throw new ColophonError('validation_error', `Child runs may be nested ${limits.runDepthMax} levels deep.`, {
      details: { limit: 'runDepthMax', max: limits.runDepthMax },
    })
  }
  const { familyLeft } = progress.facts
  if (familyLeft < 1) {
    throw new ColophonError(
      'validation_error',
      `A run may start ${limits.runFamilyMax} child runs, and each child a tenth of that.`,
      {
        details: { limit: 'runFamilyMax', max: limits.runFamilyMax },
      },
    )
  }
  const current = await currentWorkflow(tenant, request.workflowId)
  if (current === null)
    throw new ColophonError('not_found', 'The workflow of the child run does not exist.', {
      details: { missing: 'workflow' },
    })
  const { definition, version } = current
  const runId = tenant.system.newId('run')
  const jobId = tenant.system.newId('job')
  const { configurable, tags } = progress.text
  const bounds = boundsOf(definition, {})
  const left = Math.max(deadlineOf(progress) - tenant.now(), 1)
  const { view } = progress
  const { isIsolated } = request
  progress.otherSteps.push(
    toNewRunStep({
      runId,
      workflowId: definition.id,
      workflowVersion: version,
      facts: {
        actor: progress.facts.actor,
        jobId,
        // A tenth for each level, so that runs that start runs are bounded.
        familyLeft: Math.floor(familyLeft / 10),
        bounds: { ...bounds, durationMs: Math.min(bounds.durationMs, left) },
        own: isIsolated ? [] : view.own,
        // Its inputs are values of the parent.
        ...trustFacts({ ...progress.facts, trust: progress.facts.isTainted ? 'untrusted' : undefined }),
        ...readersOf(progress.facts),
        parent: { runId: progress.base.runId, nodeId: node.id, jobId: progress.facts.jobId, depth, isIsolated },
      },
      text: { inputs: request.inputs, variables: initialVariables(definition, request.inputs), configurable, tags },
      snapshot: progress.base.snapshot,
    }),
  )
  progress.set({ facts: { familyLeft: familyLeft - 1 } })
  execution.jobs.push(toRunJob(jobId, runId))
  return runId
}

/** A child or a fork reads for the reader of its parent or source, and gets values that those have read. */
export function readersOf({ reader, readers }: RunFacts): Pick<RunFacts, 'reader' | 'readers'> {
  return { ...(reader === undefined ? {} : { reader }), ...(readers === undefined ? {} : { readers }) }
}

/** The writes of a completed child that its parent sees: its own, and those of its children. */
export function writesOfChild(child: Run | null): OwnWrites[] {
  if (child === null || child.status !== 'completed' || child.facts.parent?.isIsolated !== false) return []
  const { own, ownGiven } = child.facts
  return [{ runId: child.runId, beforeSequence: Number.MAX_SAFE_INTEGER }, ...own.slice(ownGiven)]
}

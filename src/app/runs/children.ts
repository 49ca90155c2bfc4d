import type { OwnWrites } from '../../core/entries/view.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Run } from '../../core/run/run.ts'
import type { WorkflowNode } from '../../core/workflow/definition.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import { deadlineOf } from './bounds.ts'
import type { RunExecution } from './leg.ts'
import { boundsOf, toNewRunStep, toRunJob } from './new-run.ts'
import type { ChildRequest } from './node-type.ts'
import { currentWorkflow } from './workflows.ts'

/**
 * Starts a run inside a run, stored with the parent's next step. It reads the parent's snapshot and what the parent wrote
 * so far, so the whole family sees one memory; an isolated child reads the snapshot alone.
 */
export async function startChild(execution: RunExecution, node: WorkflowNode, request: ChildRequest): Promise<string> {
  const { tenant, progress } = execution
  const depth = (progress.facts.parent?.depth ?? 0) + 1
  if (depth > limits.runDepthMax) {
    throw new ColophonError('validation_error', `Runs may start runs ${limits.runDepthMax} levels deep.`, {
      details: { limit: 'runDepthMax', max: limits.runDepthMax },
    })
  }
  const { familyLeft } = progress.facts
  if (familyLeft < 1) {
    throw new ColophonError('validation_error', 'This run has started as many runs as it may.', {
      details: { limit: 'runFamilyMax', max: limits.runFamilyMax },
    })
  }
  const current = await currentWorkflow(tenant, request.workflowId)
  if (current === null) throw new ColophonError('not_found', 'The workflow to start does not exist.')
  const { definition, version } = current
  const runId = tenant.system.newId('run')
  const jobId = tenant.system.newId('job')
  const { configurable, tags } = progress.text
  const bounds = boundsOf(definition, {})
  const left = Math.max(deadlineOf(progress) - tenant.now(), 1)
  const { view } = progress
  const { isIsolated } = request
  progress.others.push(
    toNewRunStep({
      runId,
      workflowId: definition.id,
      workflowVersion: version,
      facts: {
        actor: progress.facts.actor,
        jobId,
        // A tenth for each level: runs that start runs that start runs come to an end by themselves.
        familyLeft: Math.floor(familyLeft / 10),
        bounds: { ...bounds, durationMs: Math.min(bounds.durationMs, left) },
        own: isIsolated ? [] : view.own,
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

/** What a parent sees of a child that has completed: everything it and its own children wrote. */
export function writesOfChild(child: Run | null): OwnWrites[] {
  if (child === null || child.status !== 'completed' || child.facts.parent?.isIsolated !== false) return []
  const { own, ownGiven } = child.facts
  return [{ runId: child.runId, beforeSequence: Number.MAX_SAFE_INTEGER }, ...own.slice(ownGiven)]
}

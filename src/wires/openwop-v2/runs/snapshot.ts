import type { RunDescription } from '../../../app/runs/describe-run.ts'
import { toInstant } from '../../../core/check.ts'
import { firstLogEra } from '../../../core/run/log-era.ts'
import { showErased } from '../../../core/workflow/erased-value.ts'
import { engineVersion } from '../events/event-document.ts'
import { bindId } from '../ids.ts'
import { ownerOf } from '../subject.ts'
import { toGroupedOptions } from './configurable.ts'
import { toShownError } from './run-error.ts'

/** A run as version 2 shows it. `parentRunId` is the source of a fork; the run that started a child is in its log. */
export function toSnapshot({
  tenantId,
  run,
  currentNodeId,
}: Pick<RunDescription, 'tenantId' | 'run' | 'currentNodeId'>) {
  const { facts, text } = run
  const configurable = toGroupedOptions(text.configurable)
  return {
    runId: bindId(tenantId, run.runId),
    workflowId: run.workflowId,
    status: run.status,
    owner: ownerOf(tenantId, facts.actor),
    eventLogSchemaVersion: facts.era ?? firstLogEra,
    engineVersion,
    variables: showErased(text.variables),
    ...(currentNodeId === null ? {} : { currentNodeId }),
    ...(facts.fork === null ? {} : { parentRunId: bindId(tenantId, facts.fork.sourceRunId) }),
    ...(facts.startedAt === null ? {} : { startedAt: toInstant(facts.startedAt) }),
    ...(run.endedAt === null ? {} : { completedAt: toInstant(run.endedAt) }),
    ...(text.error === null ? {} : { error: toShownError(text.error) }),
    ...(configurable === null ? {} : { configurable }),
    tags: text.tags,
    metadata: text.metadata,
  }
}

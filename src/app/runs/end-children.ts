import { endRun, type RunEnd, summarise } from '../../core/run/lifecycle.ts'
import type { Progress } from '../../core/run/progress.ts'
import { toRepeated } from '../../core/run/repeat-event.ts'
import { isEnded, type Run, type RunFacts } from '../../core/run/run.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { openProgress } from './commit-run.ts'
import { isSessionSummary, type RecordedRun } from './recorded.ts'

/** Ends the runs inside a run that ends without having completed, in the same commit. Gives the jobs that must look. */
export async function cancelChildren(
  tenant: Tenant,
  progress: Progress,
  reason: string | undefined,
): Promise<string[]> {
  const { runId } = progress.base
  const wakes: string[] = []
  for (const child of await liveChildren(tenant, runId, progress.facts)) {
    const ending = await openProgress(tenant, child)
    await addSessionSummary(tenant, ending, 'cancelled', null)
    endRun(ending, { status: 'cancelled', reason, parentRunId: runId }, tenant.now())
    progress.others.push(ending.toStep())
    progress.puts.push(...ending.puts)
    wakes.push(child.facts.jobId)
  }
  return wakes
}

/** Children that would begin with the step in which their parent fails do not begin at all. */
export function dropUnstoredChildren(progress: Progress): void {
  const unborn = new Set<string | undefined>(progress.others.splice(0).map(({ run }) => run.runId))
  for (const [nodeId, { childRunId, ...state }] of Object.entries(progress.facts.nodes)) {
    if (unborn.has(childRunId)) progress.setNode(nodeId, state)
  }
}

async function liveChildren(tenant: Tenant, runId: string, facts: RunFacts): Promise<Run[]> {
  // A replay only looks at the children of its source.
  if (facts.fork?.mode === 'replay') return []
  const ids = Object.values(facts.nodes).flatMap(({ childRunId }) => (childRunId === undefined ? [] : [childRunId]))
  const children = await Promise.all(ids.map((id) => tenant.storage.runs.get(tenant.id, id)))
  const isLive = (child: Run | null): child is Run =>
    child !== null && !isEnded(child.status) && child.facts.parent?.runId === runId
  const live = children.filter(isLive)
  const below = await Promise.all(live.map((child) => liveChildren(tenant, child.runId, child.facts)))
  return [...live, ...below.flat()]
}

/** The session-end memory of a run; a replay repeats what its source recorded and writes nothing. */
export async function addSessionSummary(
  tenant: Tenant,
  progress: Progress,
  status: RunEnd['status'],
  source: RecordedRun | null,
): Promise<void> {
  if (progress.facts.fork?.mode === 'replay') {
    progress.events.push(...(source?.events.filter(isSessionSummary).map(toRepeated) ?? []))
    return
  }
  const settings = await loadSettings(tenant.storage, tenant.id)
  if (!settings.sessionSummary) return
  const ids = { entryId: tenant.system.newId('mem'), salt: tenant.system.newSalt() }
  summarise(progress, status, ids, tenant.now())
}

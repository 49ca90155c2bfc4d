import { addRunSummary, endRun, type RunEnd } from '../../core/run/lifecycle.ts'
import { toReplayedEvent } from '../../core/run/replayed-event.ts'
import { isEnded, type Run, type RunFacts } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { openProgress } from './commit-run.ts'
import { isSessionSummary, type RecordedRun } from './recorded-run.ts'

/** Cancels the child runs of a run that fails or is cancelled, in the same commit. Gives their jobs, which must be woken. */
export async function cancelChildren(
  tenant: Tenant,
  progress: RunProgress,
  reason: string | undefined,
): Promise<string[]> {
  const { runId } = progress.base
  const wakes: string[] = []
  for (const child of await liveChildren(tenant, runId, progress.facts)) {
    const ending = await openProgress(tenant, child)
    await prepareEnd(tenant, ending, 'cancelled', null)
    endRun(ending, { status: 'cancelled', reason, parentRunId: runId }, tenant.now())
    progress.otherSteps.push(ending.toStep())
    progress.puts.push(...ending.puts)
    wakes.push(child.facts.jobId)
  }
  return wakes
}

/** Drops child runs that would be stored with the step in which their parent fails. */
export function dropUnstoredChildren(progress: RunProgress): void {
  const unstored = new Set<string | undefined>(progress.otherSteps.splice(0).map(({ run }) => run.runId))
  for (const [nodeId, { childRunId, ...state }] of Object.entries(progress.facts.nodes)) {
    if (unstored.has(childRunId)) progress.setNode(nodeId, state)
  }
}

async function liveChildren(tenant: Tenant, runId: string, facts: RunFacts): Promise<Run[]> {
  // The children that a replay names belong to its source.
  if (facts.fork?.mode === 'replay') return []
  // Workers of earlier turns have ended: the dispatch node has waited for them.
  const ids = Object.values(facts.nodes).flatMap(({ childRunId }) => (childRunId === undefined ? [] : [childRunId]))
  const children = await Promise.all(ids.map((id) => tenant.storage.runs.get(tenant.id, id)))
  const isLive = (child: Run | null): child is Run =>
    child !== null && !isEnded(child.status) && child.facts.parent?.runId === runId
  const live = children.filter(isLive)
  const below = await Promise.all(live.map((child) => liveChildren(tenant, child.runId, child.facts)))
  return [...live, ...below.flat()]
}

/**
 * Adds the session summary, an entry under `runs:`, if the tenant wants one, and notes whether the conversation is kept. A replay repeats
 * the event and writes nothing.
 */
export async function prepareEnd(
  tenant: Tenant,
  progress: RunProgress,
  status: RunEnd['status'],
  source: RecordedRun | null,
): Promise<void> {
  if (progress.facts.fork?.mode === 'replay') {
    progress.events.push(...(source?.events.filter(isSessionSummary).map(toReplayedEvent) ?? []))
    return
  }
  const settings = await loadSettings(tenant.storage, tenant.id)
  const keeps = settings.conversationRetention === 'keep' && progress.text.channels !== undefined
  if (keeps) progress.set({ facts: { keepsConversation: true } })
  if (!settings.sessionSummary) return
  const ids = { entryId: tenant.system.newId('mem'), salt: tenant.system.newSalt() }
  addRunSummary(progress, status, ids, tenant.now())
}

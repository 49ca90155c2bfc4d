import { canonicalJson } from '../../core/canonical.ts'
import { toInstant } from '../../core/check.ts'
import { limits } from '../../core/limits.ts'
import { type RunEventDoc, toEventDoc } from '../../core/run/event-doc.ts'
import type { MemoryCall } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'
import { getRun } from './control.ts'
import { allCalls, allEvents } from './recorded.ts'

/** What a run saw: its snapshot and every read, by the ids it was given. No content. */
export async function runReads(tenant: Tenant, runId: string) {
  const { snapshot } = await getRun(tenant, runId)
  const calls = await allCalls(tenant, runId)
  return {
    snapshot: { position: snapshot.position, at: toInstant(snapshot.at) },
    reads: calls.filter(isRead).map(({ sequence, nodeId, op, memoryRef, entries, position, at, forgotten }) => ({
      sequence,
      nodeId,
      op,
      memoryRef,
      entryIds: entries.map(({ id }) => id),
      position,
      at: toInstant(at),
      ...(forgotten === undefined ? {} : { forgotten }),
    })),
  }
}

function isRead({ op }: MemoryCall): boolean {
  return op === 'list' || op === 'get' || op === 'search'
}

/** Everything a person needs to see why a run went as it did, without what was said in it. */
export async function debugBundle(
  tenant: Tenant,
  runId: string,
  host: { readonly name: string; readonly version: string; readonly vendor: string },
  maxEvents?: number,
) {
  const run = await getRun(tenant, runId)
  const all = (await allEvents(tenant, runId)).map((event) => toEventDoc(runId, event))
  const { events, reason } = fit(all, maxEvents)
  const status = run.status === 'waiting-input' ? 'waiting-clarification' : shownStatus(run.status)
  return {
    bundleVersion: '1.0',
    generatedAt: toInstant(tenant.now()),
    host,
    run: {
      runId,
      workflowId: run.workflowId,
      status,
      ...(run.facts.startedAt === null ? {} : { startedAt: toInstant(run.facts.startedAt) }),
      endedAt: run.endedAt === null ? null : toInstant(run.endedAt),
      error: run.text.error,
      nodeStates: run.facts.nodes,
    },
    events,
    metrics: { eventCount: events.length, nodeCount: Object.keys(run.facts.nodes).length, openwopCost: null },
    redactionApplied: true,
    redactionMode: 'omit',
    ...(reason === undefined ? {} : { truncated: true, truncatedReason: reason }),
  }
}

/** The bundle's schema knows fewer statuses than a run has. */
function shownStatus(status: string): string {
  if (status === 'paused' || status === 'waiting-external') return 'running'
  return status
}

function fit(all: readonly RunEventDoc[], maxEvents: number | undefined) {
  const wanted = maxEvents === undefined ? all : all.slice(0, maxEvents)
  const events: RunEventDoc[] = []
  let bytes = 0
  for (const event of wanted) {
    bytes += JSON.stringify(event).length
    if (bytes > limits.debugBundleBytesMax) return { events, reason: 'debugBundleBytesMax' }
    events.push(event)
  }
  return events.length < all.length ? { events, reason: 'maxEvents' } : { events, reason: undefined }
}

const diffsMax = 1_000

/** Where two logs part, event by event: what is told is compared, not when and under which id. */
export async function diffRuns(tenant: Tenant, a: string, b: string) {
  const [left, right] = await Promise.all([getRun(tenant, a), getRun(tenant, b)])
  const [aEvents, bEvents] = await Promise.all([allEvents(tenant, a), allEvents(tenant, b)])
  const length = Math.max(aEvents.length, bEvents.length)
  const eventDiffs: { seq: number; op: string; aEvent?: RunEventDoc; bEvent?: RunEventDoc }[] = []
  let divergedAtSeq: number | null = null
  for (let seq = 0; seq < length; seq++) {
    const [aEvent, bEvent] = [aEvents[seq], bEvents[seq]]
    if (aEvent && bEvent && toldOf(aEvent) === toldOf(bEvent)) continue
    divergedAtSeq ??= seq
    const op = aEvent === undefined ? 'added' : bEvent === undefined ? 'removed' : 'changed'
    const shown = {
      ...(aEvent ? { aEvent: toEventDoc(a, aEvent) } : {}),
      ...(bEvent ? { bEvent: toEventDoc(b, bEvent) } : {}),
    }
    if (eventDiffs.length < diffsMax) eventDiffs.push({ seq, op, ...shown })
  }
  const truncated = divergedAtSeq !== null && eventDiffs.length === diffsMax
  const stateDiff = left.status === right.status ? {} : { status: { a: left.status, b: right.status } }
  return { a, b, divergedAtSeq, eventDiffs, stateDiff, ...(truncated ? { truncated } : {}) }
}

function toldOf({ type, nodeId, payload }: { type: string; nodeId: string | null; payload: unknown }): string {
  return canonicalJson({ type, nodeId, payload })
}

import type { z } from 'zod'
import type { RunDifference } from '../../../app/runs/inspect-runs.ts'
import { toInstant } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import type { Run, RunEvent, RunStatus } from '../../../core/run/run.ts'
import type { DebugBundle, RunDiff } from '../schemas/run-inspect.ts'
import { type RunEventView, toEventView } from './run-events.ts'

type BundleParts = {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly now: number
  readonly version: string
  readonly maxEvents?: number | undefined
}

export function toDebugBundle({
  run,
  events: all,
  now,
  version,
  maxEvents,
}: BundleParts): z.output<typeof DebugBundle> {
  const { runId, workflowId, facts, text, endedAt } = run
  const { events, reason } = fit(
    all.map((event) => toEventView(runId, event)),
    maxEvents,
  )
  return {
    bundleVersion: '1.0',
    generatedAt: toInstant(now),
    host: { name: 'colophon', version, vendor: 'colophon' },
    run: {
      runId,
      workflowId,
      status: toBundleStatus(run.status),
      ...(facts.startedAt === null ? {} : { startedAt: toInstant(facts.startedAt) }),
      endedAt: endedAt === null ? null : toInstant(endedAt),
      error: text.error,
      nodeStates: facts.nodes,
    },
    events,
    metrics: { eventCount: events.length, nodeCount: Object.keys(facts.nodes).length, openwopCost: null },
    redactionApplied: true,
    redactionMode: 'omit',
    ...(reason === undefined ? {} : { truncated: true, truncatedReason: reason }),
  }
}

/** The schema of a debug bundle has fewer statuses than a run. */
function toBundleStatus(status: RunStatus): string {
  if (status === 'waiting-input') return 'waiting-clarification'
  return status === 'paused' || status === 'waiting-external' ? 'running' : status
}

function fit(all: readonly RunEventView[], maxEvents: number | undefined) {
  const events: RunEventView[] = []
  let bytes = 0
  for (const event of all.slice(0, maxEvents)) {
    bytes += JSON.stringify(event).length
    if (bytes > limits.debugBundleBytesMax) return { events, reason: 'debugBundleBytesMax' as const }
    events.push(event)
  }
  return { events, reason: events.length < all.length ? ('maxEvents' as const) : undefined }
}

export function toRunDiff({ a, b, divergedAt, differences, isTruncated }: RunDifference): z.output<typeof RunDiff> {
  return {
    a: a.runId,
    b: b.runId,
    divergedAtSeq: divergedAt,
    eventDiffs: differences.map(({ sequence, aEvent, bEvent }) => ({
      seq: sequence,
      op: aEvent === undefined ? 'added' : bEvent === undefined ? 'removed' : 'changed',
      ...(aEvent ? { aEvent: toEventView(a.runId, aEvent) } : {}),
      ...(bEvent ? { bEvent: toEventView(b.runId, bEvent) } : {}),
    })),
    stateDiff: a.status === b.status ? {} : { status: { a: a.status, b: b.status } },
    ...(isTruncated ? { truncated: true } : {}),
  }
}

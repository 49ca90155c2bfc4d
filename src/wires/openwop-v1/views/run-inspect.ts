import type { z } from 'zod'
import type { RunDifference } from '../../../app/runs/inspect-runs.ts'
import { sha256 } from '../../../core/audit/digest.ts'
import { toInstant } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import type { Run, RunEvent, RunStatus } from '../../../core/run/run.ts'
import type { DebugBundle, RunDiff } from '../schemas/run-inspect.ts'
import { type RunEventView, toEventView } from './run-events.ts'

/** As in a trace of OpenTelemetry. */
const spanIdCharacters = 16

type DebugSpan = z.output<typeof DebugBundle>['spans'][number]

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
    spans: spansOf(run, all),
    metrics: { eventCount: events.length, nodeCount: Object.keys(facts.nodes).length, openwopCost: null },
    redactionApplied: true,
    redactionMode: 'omit',
    ...(reason === undefined ? {} : { truncated: true, truncatedReason: reason }),
  }
}

/**
 * Spans as OpenTelemetry names them, made of what the run has stored: they are the same on every server, and complete where no exporter is
 * configured. Only ids and counts of the run.
 */
function spansOf({ runId, workflowId, facts, endedAt }: Run, events: readonly RunEvent[]): DebugSpan[] {
  const started = events.filter(({ type }) => type === 'node.started')
  const typeOf = new Map(started.map(({ nodeId, payload }) => [nodeId, String(payload.typeId)]))
  const idOf = (name: string) => sha256(JSON.stringify([runId, name])).slice(0, spanIdCharacters)
  const own = { 'openwop.run_id': runId, 'openwop.workflow_id': workflowId }
  const instants = (from: number | null, to: number | null | undefined) => ({
    ...(from === null ? {} : { startedAt: toInstant(from) }),
    endedAt: to === null || to === undefined ? null : toInstant(to),
  })
  const root = { name: 'openwop.run', spanId: idOf(''), parentSpanId: null, ...instants(facts.startedAt, endedAt) }
  const nodes = Object.entries(facts.nodes).flatMap(([nodeId, { attempt, startedAt, endedAt }]) => {
    const type = typeOf.get(nodeId)
    // A node that was skipped has not begun.
    if (type === undefined) return []
    const node = { 'openwop.node_id': nodeId, 'openwop.node_type': type, 'openwop.node_attempt': attempt }
    const span = { name: `openwop.node.${type}`, spanId: idOf(nodeId), parentSpanId: root.spanId }
    return [{ ...span, ...instants(startedAt, endedAt), attributes: { ...own, ...node } }]
  })
  return [{ ...root, attributes: own }, ...nodes]
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

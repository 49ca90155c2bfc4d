import type { MemoryCall, MemoryOperation, Run, RunEvent, RunHead, RunStatus, RunSummary } from '../core/run/run.ts'

/** Rows of runs as both databases hold them, and what they mean. Whole values that nothing searches in are JSON texts. */

export const runColumns = `run_id, workflow_id, workflow_version, status, revision, next_sequence, snapshot_position, snapshot_at,
       scope_id, parent_run_id, source_run_id, tags, created_at, updated_at, ended_at, facts, text`

export type RunRow = {
  run_id: string
  workflow_id: string
  workflow_version: number
  status: string
  revision: number
  next_sequence: number
  snapshot_position: number
  snapshot_at: number
  scope_id: string | null
  parent_run_id: string | null
  source_run_id: string | null
  tags: string
  created_at: number
  updated_at: number
  ended_at: number | null
  facts: string
  text: string
}

export function toRun(row: RunRow): Run {
  return {
    runId: row.run_id,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    status: row.status as RunStatus,
    revision: row.revision,
    nextSequence: row.next_sequence,
    snapshot: { position: row.snapshot_position, at: row.snapshot_at },
    facts: JSON.parse(row.facts) as Run['facts'],
    text: JSON.parse(row.text) as Run['text'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  }
}

export function toRunRow(run: Run): RunRow {
  return {
    run_id: run.runId,
    workflow_id: run.workflowId,
    workflow_version: run.workflowVersion,
    status: run.status,
    revision: run.revision,
    next_sequence: run.nextSequence,
    snapshot_position: run.snapshot.position,
    snapshot_at: run.snapshot.at,
    scope_id: run.facts.scopeId,
    parent_run_id: run.facts.parent?.runId ?? null,
    source_run_id: run.facts.fork?.sourceRunId ?? null,
    tags: JSON.stringify(run.text.tags),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ended_at: run.endedAt,
    facts: JSON.stringify(run.facts),
    text: JSON.stringify(run.text),
  }
}

export const runSummaryColumns =
  'run_id, workflow_id, workflow_version, status, parent_run_id, source_run_id, tags, created_at, ended_at'

export type RunSummaryRow = Pick<
  RunRow,
  | 'run_id'
  | 'workflow_id'
  | 'workflow_version'
  | 'status'
  | 'parent_run_id'
  | 'source_run_id'
  | 'tags'
  | 'created_at'
  | 'ended_at'
>

export function toRunSummary(row: RunSummaryRow): RunSummary {
  return {
    runId: row.run_id,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    status: row.status as RunStatus,
    parentRunId: row.parent_run_id,
    sourceRunId: row.source_run_id,
    tags: JSON.parse(row.tags) as string[],
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}

export type RunStandingRow = Pick<RunRow, 'status' | 'next_sequence'>

export function toRunStanding(row: RunStandingRow): Pick<Run, 'status' | 'nextSequence'> {
  return { status: row.status as RunStatus, nextSequence: row.next_sequence }
}

export const runHeadColumns = 'run_id, revision, snapshot_position, snapshot_at, created_at, updated_at, ended_at'

export type RunHeadRow = Pick<
  RunRow,
  'run_id' | 'revision' | 'snapshot_position' | 'snapshot_at' | 'created_at' | 'updated_at' | 'ended_at'
>

export function toRunHead(row: RunHeadRow): RunHead {
  return {
    runId: row.run_id,
    revision: row.revision,
    snapshot: { position: row.snapshot_position, at: row.snapshot_at },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  }
}

export const runEventColumns = 'run_id, sequence, type, node_id, at, payload'

export type RunEventRow = {
  run_id: string
  sequence: number
  type: string
  node_id: string | null
  at: number
  payload: string
}

export function toRunEvent(row: RunEventRow): RunEvent {
  return {
    sequence: row.sequence,
    type: row.type,
    nodeId: row.node_id,
    at: row.at,
    payload: JSON.parse(row.payload) as RunEvent['payload'],
  }
}

export function toRunEventRow(runId: string, event: RunEvent): RunEventRow {
  return {
    run_id: runId,
    sequence: event.sequence,
    type: event.type,
    node_id: event.nodeId,
    at: event.at,
    payload: JSON.stringify(event.payload),
  }
}

export const runCallColumns = 'run_id, ordinal, sequence, node_id, op, memory_ref, entries, position, at, forgotten'

export type RunCallRow = {
  run_id: string
  ordinal: number
  sequence: number
  node_id: string
  op: string
  memory_ref: string
  entries: string
  position: number
  at: number
  forgotten: number | null
}

export function toMemoryCall(row: RunCallRow): MemoryCall {
  return {
    ordinal: row.ordinal,
    sequence: row.sequence,
    nodeId: row.node_id,
    op: row.op as MemoryOperation,
    memoryRef: row.memory_ref,
    entries: JSON.parse(row.entries) as MemoryCall['entries'],
    position: row.position,
    at: row.at,
    ...(row.forgotten === null ? {} : { forgotten: row.forgotten }),
  }
}

export function toRunCallRow(runId: string, call: MemoryCall): RunCallRow {
  return {
    run_id: runId,
    ordinal: call.ordinal,
    sequence: call.sequence,
    node_id: call.nodeId,
    op: call.op,
    memory_ref: call.memoryRef,
    entries: JSON.stringify(call.entries),
    position: call.position,
    at: call.at,
    forgotten: call.forgotten ?? null,
  }
}

/** Comes after every id: where a list begins that nobody has read yet. */
export const afterEveryId = '\u{10ffff}'

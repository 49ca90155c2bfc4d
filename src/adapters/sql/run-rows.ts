import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunEvent, RunHead, RunStatus, RunSummary } from '../../core/run/run.ts'
import { type Row, rowCodec } from './row-codec.ts'

/** Rows of runs as both databases store them, and how they are read. Whole values that nothing searches in are JSON texts. */

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

/** The members are in the order of `runColumns`. */
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

export type RunLogStatusRow = Pick<RunRow, 'status' | 'next_sequence'>

export function toRunLogStatus(row: RunLogStatusRow): Pick<Run, 'status' | 'nextSequence'> {
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

type StoredEvent = Omit<RunEvent, 'cause'> & { readonly runId: string; readonly cause: number | null }

export const runEventRows = rowCodec<StoredEvent>({
  runId: 'text',
  sequence: 'bigint',
  type: 'text',
  nodeId: 'text',
  at: 'bigint',
  payload: 'document',
  cause: 'bigint',
})

export function toRunEvent(row: Row): RunEvent {
  const event = {
    sequence: row.sequence as number,
    type: row.type as string,
    nodeId: row.node_id as string | null,
    at: row.at as number,
    payload: JSON.parse(row.payload as string) as RunEvent['payload'],
  }
  return row.cause === null ? event : { ...event, cause: row.cause as number }
}

/** An event with its run, as `runEventRows` stores it. */
export function toStoredEvent(runId: string, event: RunEvent): StoredEvent {
  return { ...event, runId, cause: event.cause ?? null }
}

type StoredCall = Omit<MemoryCall, 'forgotten'> & { readonly runId: string; readonly forgotten: number | null }

export const runCallRows = rowCodec<StoredCall>({
  runId: 'text',
  ordinal: 'bigint',
  sequence: 'bigint',
  nodeId: 'text',
  op: 'text',
  memoryRef: 'text',
  entries: 'document',
  position: 'bigint',
  at: 'bigint',
  forgotten: 'bigint',
})

export function toMemoryCall(row: Row): MemoryCall {
  const { runId: _run, forgotten, ...call } = runCallRows.fromRow(row)
  return forgotten === null ? call : { ...call, forgotten }
}

export function toRunCallRow(runId: string, call: MemoryCall): Row {
  return runCallRows.toRow({ ...call, runId, forgotten: call.forgotten ?? null })
}

/** Sorts after every id: the first page of a list, newest first, begins here. */
export const afterEveryId = '\u{10ffff}'

import { ColophonError, isColophonError } from '../../core/errors.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { ForkBoundary } from '../../core/run/fork-boundary.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { type ForkMode, isEnded, maintenanceWorkflowId, type Run } from '../../core/run/run.ts'
import { checkConfigurable } from '../../core/workflow/configurable.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import type { CommitOptions } from '../commit.ts'
import { type FinalWriteOptions, withFinalRefusals } from '../final-refusals.ts'
import type { Tenant } from '../tenant.ts'
import { readersOf } from './children.ts'
import { getRun } from './control.ts'
import { type CreatedRun, type CreateRunRequest, storeNewRun } from './create-run.ts'
import { boundsOf, checkKnownOptions, type NewRun, toNewRunStep, trustFacts } from './new-run.ts'
import { isExpiredForReplay, loadRecordedRun, type RecordedRun, ReplaySourceMissing } from './recorded-run.ts'
import { rebuildRunStep } from './replay-events.ts'
import { loadDefinition } from './workflow-registry.ts'

export type ForkRunRequest = {
  readonly mode: ForkMode
  /** The first event that is not taken over. Required for a branch. */
  readonly fromSeq?: number | undefined
  /** For a branch: options and metadata are merged with those of the source, tags replace them. */
  readonly runOptionsOverlay?: Overlay | undefined
  /** `step` by default. */
  readonly boundary?: ForkBoundary | undefined
}

type Overlay = Pick<CreateRunRequest, 'configurable' | 'tags' | 'metadata'>

export type ForkedRun = CreatedRun & { readonly mode: ForkMode; readonly fromSeq: number }

/**
 * Creates a run from a recorded one. A replay repeats the record and writes nothing. A branch takes over the events before
 * `fromSeq` and continues on its own. The versions that the source read must still be stored: a fork never reads newer ones
 * instead.
 */
export async function forkRun(
  tenant: Tenant,
  sourceRunId: string,
  draft: ForkRunRequest,
  options: FinalWriteOptions = {},
): Promise<ForkedRun> {
  const { mode, fromSeq = 0, runOptionsOverlay: overlay = {}, boundary = 'step' } = draft
  // Absent by default, so that a call without it has the same digest as before the option existed.
  const exact = boundary === 'event' ? { boundary } : {}
  const write = { ...options, call: { operation: 'run.fork', sourceRunId, mode, fromSeq, overlay, ...exact } }
  const request = { mode, fromSeq, overlay, boundary }
  return withFinalRefusals(tenant, write, () => planAndStoreFork(tenant, sourceRunId, request, write))
}

type ForkRequest = Pick<ForkParts, 'mode' | 'fromSeq' | 'overlay'> & { readonly boundary: ForkBoundary }

async function planAndStoreFork(
  tenant: Tenant,
  sourceRunId: string,
  { mode, fromSeq, overlay, boundary }: ForkRequest,
  write: CommitOptions,
): Promise<ForkedRun> {
  const source = await loadRecordedRun(tenant, await getRun(tenant, sourceRunId))
  if (source.run.workflowId === maintenanceWorkflowId) {
    throw new ColophonError('run_state', 'A maintenance run cannot be forked: it has no nodes.', {
      details: { runStatus: source.run.status },
    })
  }
  checkFromSeq(source, fromSeq, boundary)
  if (mode === 'replay' && !isEnded(source.run.status)) {
    throw new ColophonError('run_state', 'A run can be replayed after it has ended.', {
      details: { runStatus: source.run.status },
    })
  }
  const run = await toFork(tenant, source, { mode, fromSeq, overlay, actor: write.actor ?? tenant.engine.actor })
  const definition = await loadDefinition(tenant, run.workflowId, run.workflowVersion)
  await checkRecordKept(tenant, source, definition, mode === 'replay' ? Number.MAX_SAFE_INTEGER : fromSeq, fromSeq)
  const step = await rebuildRunStep(tenant, source, { fromSeq, boundary }, toNewRunStep(run)).catch(
    (error: unknown) => {
      if (error instanceof ReplaySourceMissing) throw unavailable(source.run, fromSeq, 'event_log_unavailable')
      // A scratchpad is rebuilt event by event, so an expired entry in it is found only here.
      if (isColophonError(error, 'replay_memory_snapshot_unavailable'))
        throw unavailable(source.run, fromSeq, 'retention_expired', error.details?.cause as string | undefined)
      throw error
    },
  )
  const created = await storeNewRun(tenant, run, write, step)
  return { ...created, mode, fromSeq }
}

/** Throws when the log has no such sequence. Checked before the memory that the run read. */
function checkFromSeq({ run }: RecordedRun, fromSeq: number, boundary: ForkBoundary): void {
  // A step may begin at the end of the log. An event must be in the log.
  const isInLog = boundary === 'step' ? fromSeq <= run.nextSequence : fromSeq < Math.max(run.nextSequence, 1)
  if (isInLog) return
  throw new ColophonError('invalid_from_seq', 'The run has no such sequence.', {
    details: { fromSeq, sourceRunId: run.runId, lastSequence: run.nextSequence - 1 },
  })
}

async function checkRecordKept(
  tenant: Tenant,
  { run, events, calls }: RecordedRun,
  definition: WorkflowDefinition,
  beforeSequence: number,
  fromSeq: number,
): Promise<void> {
  const refuse = (reason: string, cause?: string) => {
    throw unavailable(run, fromSeq, reason, cause)
  }
  if (run.facts.forgotten || calls.some(({ forgotten }) => forgotten)) refuse('retention_expired', 'forgotten')
  const historyFrom = (await tenant.storage.clock(tenant.id))?.historyFrom ?? 0
  if (run.facts.expired || run.snapshot.position < historyFrom) refuse('retention_expired')
  if (events.length < run.nextSequence) refuse('event_log_unavailable')
  const named = calls
    .filter((call) => call.sequence < beforeSequence)
    .flatMap((call) => versionsOfCall(call, definition))
  for (let index = 0; index < named.length; index += 1_000) {
    const wanted = named.slice(index, index + 1_000)
    const keys = wanted.map(({ key }) => key)
    const kept = await tenant.storage.versions(tenant.id, keys)
    if (kept.length < wanted.length) {
      // A fence hides entries that are being erased.
      const isForgotten = (await tenant.storage.forget.fences(tenant.id)).length > 0
      refuse('retention_expired', isForgotten ? 'forgotten' : undefined)
    }
    const returned = kept.flatMap(({ expiresAt }, place) => {
      const { readAt = null } = wanted[place] ?? {}
      return readAt === null ? [] : [{ expiresAt, readAt }]
    })
    if (await isExpiredForReplay(tenant, returned)) refuse('retention_expired', 'expired')
  }
}

function unavailable({ runId }: Run, fromSeq: number, reason: string, cause?: string): ColophonError {
  return new ColophonError('replay_memory_snapshot_unavailable', 'An entry that the run read is no longer stored.', {
    details: { fromSeq, sourceRunId: runId, reason, ...(cause === undefined ? {} : { cause }) },
  })
}

/**
 * The versions that a replay of this call reads, and when the call returned them. A delete reads none, and a scratchpad is
 * rebuilt by its nodes. A put reads its entry only for a node with `into`.
 */
function versionsOfCall({ op, memoryRef, entries, nodeId, at }: MemoryCall, { nodes }: WorkflowDefinition) {
  if (op === 'delete' || isEphemeralRef(memoryRef)) return []
  const isReturned = op !== 'put' || nodes.find(({ id }) => id === nodeId)?.config.into !== undefined
  return entries.map(({ id, version }) => ({
    key: { memoryRef, entryId: id, version },
    readAt: isReturned ? at : null,
  }))
}

type ForkParts = {
  readonly mode: ForkMode
  readonly fromSeq: number
  readonly overlay: Overlay
  readonly actor: string
}

async function toFork(tenant: Tenant, source: RecordedRun, parts: ForkParts): Promise<NewRun> {
  const { mode, fromSeq, overlay } = parts
  const { workflowId, workflowVersion, snapshot, facts, text, runId } = source.run
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  const configurable = { ...text.configurable, ...overlay.configurable }
  if (definition.configurableSchema !== undefined) checkConfigurable(definition.configurableSchema, configurable)
  checkKnownOptions(configurable)
  return {
    runId: tenant.system.newId('run'),
    workflowId,
    workflowVersion,
    facts: {
      actor: facts.actor,
      jobId: tenant.system.newId('job'),
      bounds: mode === 'replay' ? facts.bounds : boundsOf(definition, configurable),
      scopeId: facts.scopeId,
      ...readersOf(facts),
      // A replay ends with the messages that its source has kept.
      ...(mode === 'replay' && facts.keepsConversation ? { keepsConversation: true as const } : {}),
      fork: { sourceRunId: runId, fromSeq, mode, writerRunId: writerOf(source.run), by: parts.actor },
      ...trustFacts(facts),
      ...ownBefore(source, mode === 'replay' ? Number.MAX_SAFE_INTEGER : fromSeq),
    },
    text: {
      inputs: text.inputs,
      variables: {},
      configurable,
      tags: overlay.tags ?? text.tags,
      metadata: { ...text.metadata, ...overlay.metadata },
    },
    snapshot,
  }
}

/** The run whose writes this run shows as its own: for a replay, which writes nothing, the run it repeats. */
function writerOf({ runId, facts }: Run): string {
  return facts.fork?.mode === 'replay' ? facts.fork.writerRunId : runId
}

/** The writes that the source could see at that event: inherited ones and its own. Those of its children are added when the nodes that ran them are replayed. */
function ownBefore({ run }: RecordedRun, beforeSequence: number): Pick<Run['facts'], 'own' | 'ownLine'> {
  const { own, ownGiven, ownLine = run.facts.fork ? 1 : 0 } = run.facts
  const writer = writerOf(run)
  const line = own.slice(ownGiven - ownLine, ownGiven).filter(({ runId }) => runId !== writer)
  // Forks of forks share the first events of their logs, so a sequence of the last log means the same event in all of them.
  const reached = [...line, { runId: writer, beforeSequence }].map((writes) => ({
    ...writes,
    beforeSequence: Math.min(writes.beforeSequence, beforeSequence),
  }))
  return { own: [...own.slice(0, ownGiven - ownLine), ...reached], ownLine: reached.length }
}

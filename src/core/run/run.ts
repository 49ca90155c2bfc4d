import type { RunAgentFacts, RunAgentText } from '../agents/run-agent.ts'
import type { OwnWrites } from '../entries/as-of.ts'
import type { Trust } from '../entries/trust.ts'
import type { Decision } from '../workflow/decision.ts'
import type { NodeStatus } from '../workflow/next-action.ts'
import type { Channels } from './channel.ts'
import type { EphemeralEntry } from './ephemeral.ts'
import type { Interrupt } from './interrupt.ts'
import type { MemoryCall, ShortenedCall } from './memory-call.ts'
import type { ModelCall } from './model-call.ts'
import type { NodeTurns, Orchestrator } from './orchestrator.ts'
import type { RunRecord } from './run-record.ts'

/** The statuses of a run, as OpenWOP names them. The last three are final. */
export const runStatuses = [
  'pending',
  'running',
  'paused',
  'waiting-approval',
  'waiting-input',
  'waiting-external',
  'completed',
  'failed',
  'cancelled',
] as const

export type RunStatus = (typeof runStatuses)[number]

/** The position of memory that a run reads, and its instant. */
export type RunSnapshot = { readonly position: number; readonly at: number }

/** The state of one node in a run. */
export type NodeState = {
  readonly status: NodeStatus
  readonly attempt: number
  /** When a sleeping node resumes. */
  readonly wakeAt?: number
  /** The child run that the node waits for, or has waited for. A dispatch node names those that have ended in `workers`. */
  readonly childRunId?: string
  /** Of a dispatch node: the child runs of this turn that have ended, in order. */
  readonly workers?: readonly { readonly runId: string; readonly status: RunStatus }[]
  /** Of a dispatch node: the sequence of its last chain event, which causes the next one. */
  readonly chain?: number
  /** How many memory calls the node has made: recorded calls are not made again after a crash. */
  readonly calls: number
  /** The sequences of the events that the node itself has emitted: they are not emitted again after a crash or an answer. */
  readonly emitted?: readonly number[]
  readonly startedAt: number
  readonly endedAt?: number
}

/** A replay repeats the source run on its record and writes nothing; a branch continues from one of its events. */
export const forkModes = ['replay', 'branch'] as const

export type ForkMode = (typeof forkModes)[number]

/** How a run was forked from another. */
export type RunFork = {
  readonly sourceRunId: string
  readonly fromSeq: number
  readonly mode: ForkMode
  /** The run whose writes are the source's own: the source itself, or the run that the source is a replay of. */
  readonly writerRunId: string
  /** The actor that made the fork. The run has the actor of its source. */
  readonly by: string
  /** Of a replay: how many nodes were started again at `fromSeq`. Its log has as many events more than its source's. */
  readonly restarted?: number
}

/** Why a run or a node failed. */
export type RunError = {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Values of a run that the host made or checked: identifiers, numbers, statuses. They are not redacted. */
export type RunFacts = {
  readonly actor: string
  /** The reader that the run reads for. Absent in runs that read for any. */
  readonly reader?: string
  /** Who may read all that the run has read; absent for everyone. No other reader may read what the run writes. */
  readonly readers?: readonly string[]
  readonly scopeId: string | null
  /** The run that started this one, and the job to wake when this one ends. */
  readonly parent: {
    readonly runId: string
    readonly nodeId: string
    readonly jobId: string
    readonly depth: number
    readonly isIsolated: boolean
  } | null
  readonly fork: RunFork | null
  readonly nodes: Readonly<Record<string, NodeState>>
  /** Nodes that a pause interrupted: their attempts, and the memory calls and events that they made, which are not made again. */
  readonly tried?: Readonly<Record<string, Pick<NodeState, 'attempt' | 'calls' | 'emitted'>>>
  /** Of the nodes of a loop: how many turns they have completed, and how many memory calls they made in them. */
  readonly turns?: Readonly<Record<string, NodeTurns>>
  /** The supervisor of the run, from its first decision on. */
  readonly orchestrator?: Orchestrator
  /** The child runs that dispatch nodes started and that have ended, or that they wait for. */
  readonly dispatched?: readonly { readonly nodeId: string; readonly runId: string }[]
  /** Writes of other runs that this run reads: of completed children, the parent, the source of a branch. */
  readonly own: readonly OwnWrites[]
  /** How many of those it had when it was created. */
  readonly ownGiven: number
  /** How many of these, counted from the end, belong to the runs that this one was forked from. */
  readonly ownLine?: number
  readonly nodeExecutions: number
  readonly memoryCalls: number
  readonly memoryWrites: number
  readonly startedAt: number | null
  readonly bounds: RunBounds
  readonly pause: RunPause | null
  /** How many more child runs this run and its children may start. */
  readonly familyLeft: number
  /** The job that drives the run from its creation to its end. */
  readonly jobId: string
  /** The hashes over its events and memory calls so far. Runs of earlier versions have none. */
  readonly record?: RunRecord
  /** Set when the run's snapshot was pruned. */
  readonly expired?: true
  /** The lowest class that its lists and searches return by default, from the tenant's settings at its creation. Left out for `agent`. */
  readonly trustMin?: Trust
  /** It was created with untrusted values, such as the output of a tool. */
  readonly trust?: 'untrusted'
  /** It has values from untrusted memory or inputs, so what it writes is untrusted. A node that sanitises them removes it. */
  readonly isTainted?: true
  /** The agents that the run has dispatched, by id. */
  readonly agents?: Readonly<Record<string, RunAgentFacts>>
  /** The answers of a model, in order: what was asked as a hash, the event of its cost, and its tokens. */
  readonly modelCalls?: readonly ModelCall[]
  /** Its conversation was kept when it ended: the setting of the tenant at its end. */
  readonly keepsConversation?: true
  /** The last forget that erased values of the run. */
  readonly forgotten?: string
  /** The era of its event log, fixed at its creation. Runs of earlier versions have none, and are never given one. */
  readonly era?: number
}

/** How many nodes a run may execute, and how long it may take. */
export type RunBounds = { readonly nodeExecutionsMax: number; readonly durationMs: number }

/** Whether a pause interrupts the running node or lets it complete. */
export const drainPolicies = ['immediate', 'drain-current-node'] as const

export type DrainPolicy = (typeof drainPolicies)[number]

/** A requested pause. It is in effect once `at` is set. */
export type RunPause = { readonly drainPolicy: DrainPolicy; readonly at: number | null; readonly by: string }

/** Values of a run that come from clients, nodes and memory. They are redacted every time they are stored. */
export type RunText = {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly configurable: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly interrupts: Readonly<Record<string, Interrupt>>
  /** Scratchpads, by name; deleted when the run ends. */
  readonly ephemeral: Readonly<Record<string, readonly EphemeralEntry[]>>
  /** Prompts, tools and schemas of the agents that the run has dispatched, by agent id. No client sees them. */
  readonly agents?: Readonly<Record<string, RunAgentText>>
  /** The answers of a model, in order, by the node that asked. */
  readonly answers?: Readonly<Record<string, readonly unknown[]>>
  readonly pauseReason: string | null
  readonly error: RunError | null
  /** The last decision of the supervisor, and the decision as its event shows it: with templates not replaced. */
  readonly decision?: { readonly value: Decision; readonly shown: Decision }
  /** The messages of the run, by channel. */
  readonly channels?: Channels
}

/** One execution of a workflow. */
export type Run = {
  readonly runId: string
  readonly workflowId: string
  readonly workflowVersion: number
  readonly status: RunStatus
  /** Grows with every stored step. A step is decided on one revision, and refused if the run has another one. */
  readonly revision: number
  /** The sequence of the next event, which is the number of events. */
  readonly nextSequence: number
  readonly snapshot: RunSnapshot
  readonly facts: RunFacts
  readonly text: RunText
  readonly createdAt: number
  readonly updatedAt: number
  readonly endedAt: number | null
}

/** A run in a list: without its text, which may be large. */
export type RunSummary = Pick<Run, 'runId' | 'workflowId' | 'workflowVersion' | 'status' | 'createdAt' | 'endedAt'> & {
  readonly parentRunId: string | null
  readonly sourceRunId: string | null
  readonly tags: readonly string[]
}

/** The summary of a run for a list. */
export function toRunSummary({
  runId,
  workflowId,
  workflowVersion,
  status,
  createdAt,
  endedAt,
  facts,
  text,
}: Run): RunSummary {
  const origin = { parentRunId: facts.parent?.runId ?? null, sourceRunId: facts.fork?.sourceRunId ?? null }
  return { runId, workflowId, workflowVersion, status, createdAt, endedAt, ...origin, tags: text.tags }
}

/** One event of a run, as it is stored. */
export type RunEvent = {
  readonly sequence: number
  readonly type: string
  readonly nodeId: string | null
  readonly at: number
  readonly payload: Readonly<Record<string, unknown>>
  /** The sequence of the event of this run that caused this one. */
  readonly cause?: number
}

/** An event before it is stored. `facts` are values of the host, `text` is redacted; together they are the payload. */
export type NewRunEvent = {
  readonly type: string
  readonly nodeId: string | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly text?: Readonly<Record<string, unknown>>
  /** The sequence of the event of this run that caused it. */
  readonly cause?: number
  /** The instant of a replayed event; otherwise the event gets the instant at which it is stored. */
  readonly at?: number
}

/** The change of one run in one commit. */
export type RunStep = {
  /** The revision that the step was decided on; 0 makes a new run. If the run has another revision, the batch is refused. */
  readonly expects: number
  readonly run: Omit<Run, 'revision' | 'snapshot' | 'createdAt' | 'updatedAt' | 'endedAt' | 'nextSequence'>
  /** Of a new run: null takes the position at which the run is stored. */
  readonly snapshot: RunSnapshot | null
  readonly firstSequence: number
  readonly events: readonly NewRunEvent[]
  readonly calls: readonly MemoryCall[]
  /** The step is refused while another run of this scope is active. */
  readonly claimsScope: string | null
  /** Stored events whose text is replaced, because it was redacted again or forgotten. */
  readonly rewritten?: readonly (NewRunEvent & { readonly sequence: number })[]
  /** Stored calls without entries that were forgotten. */
  readonly shortened?: readonly ShortenedCall[]
  /** With `rewritten` or `shortened`: the whole stored log, from which the record is computed again. */
  readonly recorded?: { readonly events: readonly RunEvent[]; readonly calls: readonly MemoryCall[] }
  /** The salt of a new record, or of one that is computed again. It is added when the batch is made. */
  readonly salt?: string
}

/** A step of a run with its revision and instants, as the database writes it. */
export type SealedRun = {
  readonly run: Run
  readonly isNew: boolean
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
  readonly rewritten: readonly Pick<RunEvent, 'sequence' | 'payload'>[]
  readonly shortened: readonly ShortenedCall[]
}

/** The workflow id of maintenance runs, which the host makes itself. Clients cannot register it, nor start or fork such a run. */
export const maintenanceWorkflowId = 'colophon.maintenance'

export type RunKey = { readonly tenantId: string; readonly runId: string }

/** The columns of a stored run that a commit decides on. */
export type RunHead = Pick<Run, 'runId' | 'revision' | 'snapshot' | 'createdAt' | 'updatedAt' | 'endedAt'>

/** One text for the key of a run. The separator occurs in neither part. */
export function runKeyOf(tenantId: string, runId: string): string {
  return `${tenantId}\u0000${runId}`
}

/** The parts of a run key. */
export function parseRunKey(key: string): RunKey {
  const [tenantId = '', runId = ''] = key.split('\u0000')
  return { tenantId, runId }
}

/** Whether a status is one of a run that has ended. */
export function isEnded(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

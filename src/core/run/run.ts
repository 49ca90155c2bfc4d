import type { OwnWrites } from '../entries/view.ts'
import type { NodeStatus } from '../workflow/plan.ts'
import type { EphemeralEntry } from './ephemeral.ts'
import type { Interrupt } from './interrupt.ts'
import type { RunRecord } from './run-record.ts'

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

/** The moment of memory that a run reads. */
export type RunSnapshot = { readonly position: number; readonly at: number }

/** Where a run stands with one node. */
export type NodeState = {
  readonly status: NodeStatus
  readonly attempt: number
  /** When a sleeping node goes on. */
  readonly wakeAt?: number
  readonly childRunId?: string
  /** How many memory calls it has made: what is recorded is not done again. */
  readonly calls: number
  readonly startedAt: number
  readonly endedAt?: number
}

export const forkModes = ['replay', 'branch'] as const

export type ForkMode = (typeof forkModes)[number]

export type RunFork = {
  readonly sourceRunId: string
  readonly fromSeq: number
  readonly mode: ForkMode
  /** Whose writes the source shows as its own: itself, or what it is a replay of. */
  readonly writerRunId: string
  /** Who forked; the run itself belongs to whom its source belongs. */
  readonly by: string
}

export type RunError = {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** What the host itself made or has checked: identifiers, numbers, statuses. It is stored as it is. */
export type RunFacts = {
  readonly actor: string
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
  /** Nodes that were cut short by a pause: how often they were tried, and the calls they made, which are not made again. */
  readonly tried?: Readonly<Record<string, Pick<NodeState, 'attempt' | 'calls'>>>
  /** Writes of other runs that this one may read: completed children, the parent, the source of a branch. */
  readonly own: readonly OwnWrites[]
  /** How many of those it was born with. */
  readonly ownGiven: number
  /** How many of these, at their end, are of the line of runs that this one was forked from. */
  readonly ownLine?: number
  readonly nodeExecutions: number
  readonly memoryCalls: number
  readonly memoryWrites: number
  readonly startedAt: number | null
  readonly bounds: RunBounds
  readonly pause: RunPause | null
  /** How many more runs this one and those it starts may start. */
  readonly familyLeft: number
  /** The job that drives the run from its creation to its end. */
  readonly jobId: string
  /** Hashes over its events and memory calls so far. Runs that began before there were such hashes have none. */
  readonly record?: RunRecord
  /** Set when what the run read is no longer kept. */
  readonly expired?: true
  /** Set when something that the run held was forgotten: by which forget, the last one. */
  readonly forgotten?: string
}

export type RunBounds = { readonly nodeExecutionsMax: number; readonly durationMs: number }

export const drainPolicies = ['immediate', 'drain-current-node'] as const

export type DrainPolicy = (typeof drainPolicies)[number]

/** A pause that was asked for; it is in force once `at` is set. */
export type RunPause = { readonly drainPolicy: DrainPolicy; readonly at: number | null; readonly by: string }

/** Text from outside: it goes through the redactor every time it is stored. */
export type RunText = {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly configurable: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly interrupts: Readonly<Record<string, Interrupt>>
  /** Scratchpads and the conversation, by their name in the run; gone when it ends. */
  readonly ephemeral: Readonly<Record<string, readonly EphemeralEntry[]>>
  readonly pauseReason: string | null
  readonly error: RunError | null
}

/** One execution of a workflow. */
export type Run = {
  readonly runId: string
  readonly workflowId: string
  readonly workflowVersion: number
  readonly status: RunStatus
  /** Grows with every stored step; a step is decided on one revision and stored only on that. */
  readonly revision: number
  /** The sequence of the next event: how many there are. */
  readonly nextSequence: number
  readonly snapshot: RunSnapshot
  readonly facts: RunFacts
  readonly text: RunText
  readonly createdAt: number
  readonly updatedAt: number
  readonly endedAt: number | null
}

/** A run as a list shows it: without its text, which may be large. */
export type RunSummary = Pick<Run, 'runId' | 'workflowId' | 'workflowVersion' | 'status' | 'createdAt' | 'endedAt'> & {
  readonly parentRunId: string | null
  readonly sourceRunId: string | null
  readonly tags: readonly string[]
}

export function toSummary({
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

export type RunEvent = {
  readonly sequence: number
  readonly type: string
  readonly nodeId: string | null
  readonly at: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event before it is stored: `facts` are the host's own, `text` goes through the redactor; together they are the payload. */
export type NewRunEvent = {
  readonly type: string
  readonly nodeId: string | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly text?: Readonly<Record<string, unknown>>
  /** The instant of a recorded event that is told again; otherwise it is when the event is stored. */
  readonly at?: number
}

export type MemoryOperation = 'list' | 'get' | 'search' | 'put' | 'delete'

/** One call a node made to memory, in identifiers only: what a run saw and did, and what a replay repeats. */
export type MemoryCall = {
  /** Counts the calls of the run. */
  readonly ordinal: number
  /** The next event's sequence when the call was made; of a write, its own event's. */
  readonly sequence: number
  readonly nodeId: string
  readonly op: MemoryOperation
  readonly memoryRef: string
  /** Of a search also how well each fits: a replay must give the same answer. */
  readonly entries: readonly { readonly id: string; readonly version: number; readonly score?: number }[]
  /** How many more entries it named that were forgotten since. */
  readonly forgotten?: number
  readonly position: number
  readonly at: number
}

/** What is stored of a run in one commit. */
export type RunStep = {
  /** The revision this was decided on; 0 makes a new run. If the run has another, nothing of the batch is stored. */
  readonly expects: number
  readonly run: Omit<Run, 'revision' | 'snapshot' | 'createdAt' | 'updatedAt' | 'endedAt' | 'nextSequence'>
  /** Of a new run: null takes the position of the moment it is stored. */
  readonly snapshot: RunSnapshot | null
  readonly firstSequence: number
  readonly events: readonly NewRunEvent[]
  readonly calls: readonly MemoryCall[]
  /** Not stored while another run of this scope is under way. */
  readonly claimsScope: string | null
  /** Events that are there already and whose words are replaced, to take a secret out of them. */
  readonly rewritten?: readonly (NewRunEvent & { readonly sequence: number })[]
  /** Calls that are there already and name less from now on, because something was forgotten. */
  readonly shortened?: readonly ShortenedCall[]
  /** With `rewritten` or `shortened`: the whole log as it is stored, of which the record is made anew. */
  readonly recorded?: { readonly events: readonly RunEvent[]; readonly calls: readonly MemoryCall[] }
  /** Of a run whose record begins, or is made anew. It is added when the batch is made. */
  readonly salt?: string
}

export type ShortenedCall = Pick<MemoryCall, 'ordinal' | 'memoryRef' | 'entries'> & { readonly forgotten: number }

/** A run with what only the lock can decide, and the rows that go with it. */
export type SealedRun = {
  readonly run: Run
  readonly isNew: boolean
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
  readonly rewritten: readonly Pick<RunEvent, 'sequence' | 'payload'>[]
  readonly shortened: readonly ShortenedCall[]
}

/** Runs of the host's own work. Nobody registers it, and nobody starts or repeats one. */
export const maintenanceWorkflowId = 'colophon.maintenance'

export type RunKey = { readonly tenantId: string; readonly runId: string }

/** What the lock shows of a stored run. */
export type RunHead = Pick<Run, 'runId' | 'revision' | 'snapshot' | 'createdAt' | 'updatedAt' | 'endedAt'>

export function runKeyOf(tenantId: string, runId: string): string {
  return `${tenantId}\u0000${runId}`
}

export function fromRunKey(key: string): RunKey {
  const [tenantId = '', runId = ''] = key.split('\u0000')
  return { tenantId, runId }
}

export function isEnded(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatKey } from './access/api-key.ts'
import { genesisHash } from './audit/audit.ts'
import { canonicalJson } from './canonical.ts'
import { auditBatch } from './commit/audit-record.ts'
import { type Batch, type Clock, nothing } from './commit/batch.ts'
import { noRows } from './commit/parts/index.ts'
import { sealCompaction } from './compaction/compaction.ts'
import { encodeCursor } from './cursor.ts'
import { sealForgetting } from './forget/forgetting.ts'
import { addCounts, zeroCounts } from './forget/receipt-body.ts'
import { acquireLease, cancelJob, enqueueJob, type Job, releaseJob, retryJob, wakeJob } from './jobs/job.ts'
import type { Assertion } from './provenance/claim.ts'
import { sealClaim } from './provenance/seal-claim.ts'
import { beginNode, beginRun, endRun, skipNode, suspendNode } from './run/lifecycle.ts'
import type { MemoryCall } from './run/memory-call.ts'
import type { Run, RunEvent, RunFork, RunHead, RunStep } from './run/run.ts'
import { RunProgress } from './run/run-progress.ts'
import { assertGapless } from './run/run-record.ts'
import { sealRun } from './run/seal-run.ts'
import { coalesce, mergeDeliveries } from './webhooks/coalesced-delivery.ts'
import type { WorkflowDefinition } from './workflow/definition.ts'
import { nextAction } from './workflow/next-action.ts'

/** Each case breaks one invariant, named by its reason. Callers never do this; the assertion is what stops a bug that would. */
const cases: Record<string, () => unknown> = {}

const clock: Clock = { position: 5, lastHash: 'a'.repeat(64), lastCreatedAt: 0, redactionVersion: 1, historyFrom: 0 }
const lease = { leaseToken: 't', worker: 'w', leaseUntil: 2_000 }
const queued = enqueueJob({ jobId: 'job_1', kind: 'k', payload: {}, priority: 0, dueAt: null, attemptsMax: 3 }, 1_000)
const leased = acquireLease(queued, lease, 1_000)

cases['a key that cannot be parsed back would never authenticate'] = () => formatKey('key_1', 'acme', 'short')
cases['only JSON values have a canonical form'] = () => canonicalJson(undefined)
cases['a client must be able to send a cursor back'] = () =>
  encodeCursor({ position: 1.5, createdPosition: 1, ordinal: 0 })
cases['a receipt counts rows that were erased'] = () => addCounts(zeroCounts, { entries: -1 })
cases['the sequences of a fence are in order'] = () =>
  sealForgetting(
    {
      fences: [
        {
          forgetId: 'fgt_1',
          isRemoved: false,
          added: [{ kind: 'run', value: 'run_1', position: null, fromSequence: 2, toSequence: 1 }],
        },
      ],
    },
    5,
    0,
  )
cases['a coalesced delivery goes to one webhook'] = () =>
  mergeDeliveries(
    coalesce({ webhookId: 'wh_1', runId: 'run_1', sequence: 0 }, 0),
    coalesce({ webhookId: 'wh_2', runId: 'run_1', sequence: 1 }, 0),
  )

// Jobs
cases['a job that has ended is not leased'] = () => acquireLease(cancelJob(queued, 1_000), lease, 1_500)
cases['a lease is held by one worker until it expires'] = () =>
  acquireLease(leased, { ...lease, worker: 'other' }, 1_999)
cases['a leased job has an attempt that its release takes back'] = () =>
  releaseJob({ ...leased, attempts: 0 }, 't', 1_500)
cases['only a queued job is woken: the due time of a leased job is the end of its lease'] = () => wakeJob(leased, 1_500)
cases['a job that has ended has no lease'] = () =>
  retryJob({ ...queued, status: 'dead', leaseToken: 't' } as Job, 1_500)

// Audit
const batch = {
  ...nothing,
  tenantId: 'acme',
  actor: 'key:k1',
  kind: 'admin.key.created',
  finish: null,
  idempotency: null,
  mac: (text) => text,
  redactionVersion: 1,
  redactions: [],
} satisfies Batch
cases['an audit record links to the hash of the record before'] = () =>
  auditBatch(batch, noRows, { position: 6, at: 0, prev: '' })
cases['only the record of position 1 has no record before'] = () =>
  auditBatch(batch, noRows, { position: 6, at: 0, prev: genesisHash })

// Compactions
const made = {
  compactionId: 'cmp_1',
  memoryRef: 'notes',
  outputId: 'mem_1',
  byteSize: 9,
  runId: 'run_1',
  summariser: 'x',
}
cases['a compaction has sources: its lineage explains its output'] = () =>
  sealCompaction({ made: { ...made, sources: [] } }, () => undefined, 6, 0)

// Claims
const identity = { claimId: 'clm_1', subject: 'ada', category: 'fact', claimKey: 'home' } as const
const assertion: Assertion = {
  claimId: 'clm_1',
  ordinal: 4,
  sourceEventId: 'src_1',
  candidate: 0,
  service: null,
  eventId: null,
  actor: null,
  content: 'Lisbon',
  contentKey: 'lisbon',
  importance: 5,
  confidence: 1,
  priority: 50,
  observedAt: 0,
  trust: 'agent',
  entryId: null,
  recordedPosition: 1,
  withdrawnPosition: null,
  seal: '',
}
cases['the ordinals of assertions grow'] = () =>
  sealClaim(
    {
      expects: 1,
      claim: { ...identity, winner: null, isContested: false, pin: null },
      before: [assertion],
      assertions: [{ ...assertion, salt: 's' }],
      withdrawn: [],
      repriced: [],
    },
    1,
    6,
  )

// Runs
const run = {
  runId: 'run_1',
  workflowId: 'visit',
  workflowVersion: 1,
  status: 'running',
  revision: 1,
  nextSequence: 3,
  snapshot: { position: 5, at: 0 },
  facts: { actor: 'key:k1', nodes: {}, nodeExecutions: 0, startedAt: 0, fork: null, memoryCalls: 0 },
  text: { interrupts: {}, outputs: {}, variables: {} },
  createdAt: 0,
  updatedAt: 0,
  endedAt: null,
} as unknown as Run
const inRun = (change: Partial<Run> = {}, facts: Partial<Run['facts']> = {}) =>
  new RunProgress({ ...run, ...change, facts: { ...run.facts, ...facts } })
const node = { status: 'completed', attempt: 1, calls: 0, startedAt: 0 } as const
const state = (head: Partial<RunHead> | undefined) => ({
  clock,
  head: () => head && ({ ...run, ...head } as RunHead),
  activeInScope: () => undefined,
})
const step = (change: Partial<RunStep> = {}): RunStep => ({ ...inRun().toStep(), ...change })
const request = { kind: 'custom', key: 'k', data: {} } as const

cases['a run is started once'] = () => beginRun(inRun(), 'acme', 1)
cases['a node is not started twice'] = () => beginNode(inRun({}, { nodes: { a: node } }), 'a', 'core.noop', 1)
cases['a node that was started is not skipped'] = () => skipNode(inRun({}, { nodes: { a: node } }), 'a', 'condition', 1)
cases['only a running or waiting node is suspended'] = () =>
  suspendNode(inRun({}, { nodes: { a: node } }), 'a', { request, eventRequest: request }, 1)
cases['a run ends once'] = () => endRun(inRun({ status: 'completed' }), { status: 'completed' }, 1)
cases['a run that has ended does not change its status'] = () =>
  inRun({ status: 'cancelled' }).set({ status: 'running' })
cases['a replay writes no memory'] = () => {
  const progress = inRun({}, { fork: { mode: 'replay' } as RunFork })
  progress.ends.push({ memoryRef: 'notes', entryId: 'mem_1', reason: 'deleted' })
  progress.toStep()
}
cases['a run that has ended stays ended'] = () => sealRun(step(), state({ revision: 1, endedAt: 7 }), 9)
cases['the first event of a run has sequence 0'] = () => sealRun(step({ expects: 0 }), state(undefined), 9)
cases['only stored events are rewritten'] = () =>
  sealRun(step({ rewritten: [{ sequence: 3, type: 't', nodeId: null, facts: {} }] }), state({ revision: 1 }), 9)
cases['the sequence of a run grows by one with each event'] = () =>
  assertGapless({
    events: [0, 2].map((sequence) => ({ sequence, type: 't', nodeId: null, at: 0, payload: {} }) satisfies RunEvent),
    calls: [],
  })
cases['the memory calls of a run are numbered without a gap'] = () =>
  assertGapless({ events: [], calls: [{ ordinal: 1 }, { ordinal: 3 }] as MemoryCall[] })
cases['in a graph without cycles some node can always be decided when none is active'] = () => {
  const nodes = ['a', 'b'].map((id) => ({ id }))
  const edges = [
    { id: 'ab', sourceNodeId: 'a', targetNodeId: 'b' },
    { id: 'ba', sourceNodeId: 'b', targetNodeId: 'a' },
  ]
  nextAction({ nodes, edges } as unknown as WorkflowDefinition, {}, { inputs: {}, variables: {}, outputs: {} })
}

describe('an invariant stops what would break it', () => {
  for (const [reason, breakIt] of Object.entries(cases)) {
    test(reason, () => assert.throws(breakIt, { name: 'InvariantBroken', message: reason }))
  }
})

test('a gap in the stored log of a run does not block the erasure of its texts', () => {
  const at = (sequence: number): RunEvent => ({ sequence, type: 't', nodeId: null, at: 0, payload: {} })
  const erased = step({ salt: 's', recorded: { events: [at(0), at(2)], calls: [] } })
  const sealed = sealRun(erased, state({ revision: 1, endedAt: null }), 9)
  assert.equal(sealed.run.facts.record?.salt, 's')
})

import { hash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'

/** What a no-op run leaves behind, written by hand in the form in which ours stores it. */

export const workflowId = 'noop'
export const workflow = {
  id: workflowId,
  name: workflowId,
  version: '1',
  nodes: [{ id: 'n', typeId: 'core.noop', name: 'n', position: { x: 0, y: 0 }, config: {}, inputs: {} }],
  edges: [],
  triggers: [{ id: 'm', type: 'manual' }],
  variables: [],
  metadata: {},
  settings: {},
}
export const summaryRef = `runs:${workflowId}`

export type RawRun = {
  readonly runId: string
  readonly jobId: string
  readonly leaseToken: string
  readonly actor: string
  readonly inputs: unknown
}

export function newRawRun(actor: string, inputs: unknown): RawRun {
  return { runId: `run_${uuidv7()}`, jobId: `job_${uuidv7()}`, leaseToken: `lease_${uuidv7()}`, actor, inputs }
}

export function factsOf({ actor, jobId }: RawRun, startedAt: number | null): string {
  const isOver = startedAt !== null
  return JSON.stringify({
    scopeId: null,
    parent: null,
    fork: null,
    nodes: isOver ? { n: { status: 'completed', attempt: 1, calls: 0, startedAt, endedAt: Date.now() } } : {},
    own: [],
    ownGiven: 0,
    nodeExecutions: isOver ? 1 : 0,
    memoryCalls: 0,
    memoryWrites: 0,
    startedAt,
    pause: null,
    familyLeft: 500,
    actor,
    jobId,
    bounds: { nodeExecutionsMax: 1_000, durationMs: 2_592_000_000 },
  })
}

export function textOf({ inputs }: RawRun): string {
  return JSON.stringify({
    ...{ inputs, variables: {}, outputs: {}, configurable: {}, tags: [], metadata: {} },
    ...{ interrupts: {}, ephemeral: {}, pauseReason: null, error: null },
  })
}

export type RawSummary = ReturnType<typeof summaryOf>

/** The session-end memory, and the digest by which the audit knows it. */
export function summaryOf({ runId }: RawRun, startedAt: number) {
  const id = `mem_${uuidv7()}`
  const salt = randomBytes(16).toString('hex')
  const tags = ['source:session', 'run-summary', `run-id:${runId}`]
  const origin = { kind: 'session', runId, sequence: 3 }
  const [started, ended] = [new Date(startedAt).toISOString(), new Date().toISOString()]
  const content =
    `Run ${runId} of workflow ${workflowId} (version 1): completed. Nodes completed: 1, failed: 0, skipped: 0. ` +
    `Memory reads: 0, writes: 0. Started ${started}, ended ${ended}.`
  const digest = hash('sha256', salt + JSON.stringify([content, tags, null, null, origin]), 'base64url')
  return { id, salt, tags, origin, content, digest }
}

export function eventsOf(tenantId: string, { id, tags }: RawSummary): [type: string, nodeId: string | null, string][] {
  return [
    ['run.started', null, JSON.stringify({ workflowId, transport: 'rest', owner: { tenant: tenantId } })],
    ['node.started', 'n', JSON.stringify({ nodeId: 'n', typeId: 'core.noop', attempt: 1 })],
    ['node.completed', 'n', JSON.stringify({ nodeId: 'n' })],
    ['memory.written', null, JSON.stringify({ memoryRef: summaryRef, memoryId: id, tags })],
    ['run.completed', null, JSON.stringify({ outputs: {} })],
  ]
}

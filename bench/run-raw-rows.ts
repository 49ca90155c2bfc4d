import { hash, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { addEvent } from '../src/core/run/run-record.ts'

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
  readonly recordSalt: string
}

export function newRawRun(actor: string, inputs: unknown): RawRun {
  const recordSalt = randomBytes(16).toString('hex')
  return {
    runId: `run_${uuidv7()}`,
    jobId: `job_${uuidv7()}`,
    leaseToken: `lease_${uuidv7()}`,
    actor,
    inputs,
    recordSalt,
  }
}

export function factsOf({ actor, jobId, recordSalt }: RawRun, startedAt: number | null, events = recordSalt): string {
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
    era: 3,
    record: { salt: recordSalt, events, calls: recordSalt },
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
    `Memory calls: 0, of them writes: 0. Started ${started}, ended ${ended}.`
  const digestAt = (at: number, position: number): string => {
    const said = [content, tags, null, null, origin, null]
    return hash('sha256', salt + JSON.stringify([...said, summaryRef, at, position, 0, position]), 'base64url')
  }
  return { id, salt, tags, origin, content, digestAt }
}

export type RawEvent = readonly [type: string, nodeId: string | null, payload: Readonly<Record<string, unknown>>]

/** The hash over the events of a run, which its facts carry. The function is ours: the same bytes must come of it. */
export function hashEvents({ recordSalt }: RawRun, events: readonly RawEvent[], at: number): string {
  return events.reduce(
    (hash, [type, nodeId, payload], sequence) => addEvent(hash, { sequence, type, nodeId, at, payload } as never),
    recordSalt,
  )
}

export function eventsOf(tenantId: string, { actor }: RawRun, { id, tags }: RawSummary): RawEvent[] {
  return [
    ['run.started', null, { workflowId, transport: 'rest', owner: { tenant: tenantId, principal: actor } }],
    ['node.started', 'n', { nodeId: 'n', typeId: 'core.noop', attempt: 1 }],
    ['node.completed', 'n', { nodeId: 'n' }],
    ['memory.written', null, { memoryRef: summaryRef, memoryId: id, tags }],
    ['run.completed', null, { outputs: {} }],
  ]
}

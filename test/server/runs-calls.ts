import assert from 'node:assert/strict'
import { eventually } from '../support/child.ts'
import type { Answer, Call } from '../support/server.ts'

/** What the tests of workflows and runs share: small workflows, and waiting for runs. */

export const host = '/v1/host/colophon'
export const workflows = `${host}/workflows`
export const keyed = (key: string) => ({ 'idempotency-key': key })
export const replayOf = ({ headers }: Answer) => [
  headers.get('idempotent-replay'),
  headers.get('openwop-idempotent-replay'),
]

// biome-ignore lint/suspicious/noExplicitAny: a run is what the test says it is, and the test checks it.
export type Snapshot = any
export type RunEvent = Snapshot

export type NodeParts = Readonly<Record<string, unknown>> & { readonly id: string; readonly typeId: string }

export function nodeOf(parts: NodeParts) {
  return { name: parts.id, position: { x: 0, y: 0 }, config: {}, inputs: {}, ...parts }
}

/** A workflow whose nodes follow each other. */
export function chain(id: string, nodes: readonly NodeParts[], more: Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    name: `The workflow ${id}`,
    version: '1.0.0',
    nodes: nodes.map(nodeOf),
    edges: nodes.slice(1).map((node, index) => ({
      id: `to-${node.id}`,
      sourceNodeId: nodes[index]?.id ?? '',
      targetNodeId: node.id,
    })),
    triggers: [],
    variables: [],
    metadata: {},
    settings: {},
    ...more,
  }
}

export const noop = (id = 'only') => ({ id, typeId: 'core.noop' })
export const gate = (id = 'gate', config: object = {}) => ({ id, typeId: 'core.approvalGate', config })
/** Waits as long as the input `ms` says. */
export const delay = (id = 'wait') => ({ id, typeId: 'core.delay', config: { delayMs: '{{inputs.ms}}' } })
export const put = (id: string, content: string, memoryRef = 'notes') => ({
  id,
  typeId: 'colophon.memory.put',
  config: { memoryRef, content },
})

export async function register(call: Call, document: object): Promise<void> {
  const answer = await call('POST', workflows, document)
  assert.ok(answer.status === 200 || answer.status === 201, answer.text)
}

export async function startRun(call: Call, workflowId: string, draft: object = {}): Promise<string> {
  const answer = await call('POST', '/v1/runs', { workflowId, ...draft })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.runId as string
}

export async function snapshotOf(call: Call, runId: string): Promise<Snapshot> {
  const answer = await call('GET', `/v1/runs/${runId}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

export const isEnded = ({ status }: Snapshot) => ['completed', 'failed', 'cancelled'].includes(status)

export async function until(
  call: Call,
  runId: string,
  what: string,
  isSo: (run: Snapshot) => boolean,
  deadlineMs?: number,
): Promise<Snapshot> {
  let run: Snapshot
  const look = async () => {
    run = await snapshotOf(call, runId)
    return isSo(run)
  }
  await eventually(`the run ${what}`, look, deadlineMs)
  return run
}

/** The run once it has ended. */
export function ended(call: Call, runId: string, deadlineMs?: number): Promise<Snapshot> {
  return until(call, runId, 'has ended', isEnded, deadlineMs)
}

/** The run once it waits for an answer. */
export function waiting(call: Call, runId: string): Promise<Snapshot> {
  return until(call, runId, 'waits for an answer', ({ status }) => status.startsWith('waiting-'))
}

/** A new run that waits for an answer at its first node. */
export async function startWaiting(call: Call, workflowId: string, draft: object = {}): Promise<string> {
  const runId = await startRun(call, workflowId, draft)
  await waiting(call, runId)
  return runId
}

/** The whole log, as it is polled. */
export async function eventsOf(call: Call, runId: string): Promise<RunEvent[]> {
  const answer = await call('GET', `/v1/runs/${runId}/events/poll?timeout=0`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.events
}

/** Events without their ids and instants, to compare logs. */
export const withoutIdsAndTimes = (events: readonly RunEvent[]) =>
  events.map(({ type, nodeId, payload }) => ({ type, nodeId, payload }))

export const typesOf = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type)

/** Ids of the tenant's runs. */
export async function runsOf(call: Call): Promise<string[]> {
  const { body } = await call('GET', `${host}/runs?limit=500`)
  return body.runs.map(({ runId }: { runId: string }) => runId)
}

import assert from 'node:assert/strict'
import type { Call } from '../support/server.ts'
import { gate, host, type NodeParts, type Snapshot, snapshotOf, until } from './runs-calls.ts'

/** What the tests of runs inside runs share: their nodes, and looking at a family. */

const memoryRef = 'family'

type Config = Readonly<Record<string, unknown>>

const memory = (id: string, op: string, config: Config) => ({
  id,
  typeId: `colophon.memory.${op}`,
  config: { memoryRef, ...config },
})
/** Remembers its own id. */
export const note = (id: string): NodeParts => memory(id, 'put', { content: id })
/** Lists everything into a variable of its name. */
export const look = (id: string): NodeParts => memory(id, 'list', { limit: 500, into: id })
export const drop = (id: string): NodeParts => memory(id, 'delete', { id: '{{inputs.victim}}', into: id })
export const inside = (id: string, workflowId: string, config: Config = {}): NodeParts => ({
  id,
  typeId: 'core.subWorkflow',
  config: { workflowId, ...config },
})
export const ask = (id: string): NodeParts => gate(id)

/** Edges from one list of nodes each. */
export const edges = (...paths: readonly (readonly string[])[]) => ({
  edges: paths.flatMap((path, number) =>
    path.slice(1).map((target, index) => ({
      id: `${number}-${index}`,
      sourceNodeId: path[index] ?? '',
      targetNodeId: target,
    })),
  ),
})

const entriesPath = `${host}/memory/${memoryRef}/entries`

export async function putEntry(call: Call, content: string): Promise<string> {
  const made = await call('POST', entriesPath, { content })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

/** What is there now, or what a run may see, newest first. */
export async function contentsNow(call: Call, runId?: string): Promise<string[]> {
  const view = runId === undefined ? '' : `&runId=${runId}`
  const { body } = await call('GET', `${entriesPath}?limit=500${view}`)
  return contentsOf(body.entries)
}

export function contentsOf(entries: readonly { readonly content: string }[]): string[] {
  return entries.map(({ content }) => content)
}

export async function accept(call: Call, runId: string, nodeId: string): Promise<void> {
  const body = { resumeValue: { action: 'accept' } }
  const answer = await call('POST', `/v1/runs/${runId}/interrupts/${nodeId}`, body)
  assert.equal(answer.status, 200, answer.text)
}

/** The run once that node of it waits for an answer. */
export function asksAt(call: Call, runId: string, nodeId: string): Promise<Snapshot> {
  const isThere = ({ status, nodeStates }: Snapshot) =>
    status === 'waiting-approval' && nodeStates[nodeId]?.status === 'waiting'
  return until(call, runId, `asks at ${nodeId}`, isThere)
}

/** The run that a node started, once it did. */
export async function childOf(call: Call, runId: string, nodeId: string): Promise<string> {
  const run = await until(call, runId, `has a child at ${nodeId}`, ({ nodeStates }) => nodeStates[nodeId]?.childRunId)
  return run.nodeStates[nodeId].childRunId
}

export async function statusOf(call: Call, runId: string): Promise<string> {
  return (await snapshotOf(call, runId)).status
}

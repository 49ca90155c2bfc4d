import { createRun } from '../../src/app/runs/create-run.ts'
import { resolveInterrupt } from '../../src/app/runs/resolve-interrupt.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { isEnded, type Run } from '../../src/core/run/run.ts'
import { chain, gate, type NodeParts, noop } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'

/** A run that does everything a crash could break: it writes, reads, deletes, waits for time, children and an answer. */

export const storyRef = 'story'

type Config = Readonly<Record<string, unknown>>

const memory = (op: string) => (id: string, config: Config) => ({
  id,
  typeId: `colophon.memory.${op}`,
  config: { memoryRef: storyRef, ...config },
})
const put = (id: string, config: Config = {}) =>
  memory('put')(id, { content: `${id} of {{inputs.name}}`, tags: [`node:${id}`], ...config })
const list = memory('list')
const rest = (id: string): NodeParts => ({ id, typeId: 'core.delay', config: { delayMs: 20 } })
const inside = (id: string): NodeParts => ({
  id,
  typeId: 'core.subWorkflow',
  config: { workflowId: 'story-inside', inputMapping: { name: 'inputs.name' }, outputMapping: { [id]: 'kept' } },
})

const insideStory = chain('story-inside', [
  put('inner-note'),
  put('inner-kept', { into: 'kept' }),
  rest('inner-rest'),
  list('inner-look', { into: 'seen', limit: 500 }),
])

const path = chain('story', [
  noop('begin'),
  put('note'),
  put('kept', { into: 'kept' }),
  list('look', { into: 'seen', limit: 500 }),
  memory('get')('fetch', { id: '{{variables.kept.id}}', into: 'fetched' }),
  rest('rest'),
  memory('delete')('drop', { id: '{{variables.kept.id}}', into: 'dropped' }),
  inside('inside'),
  put('after'),
  gate('gate'),
  put('last'),
  list('look-again', { into: 'seenAgain', limit: 500 }),
])

/** A supervisor that sends one worker, and ends in its second turn. */
const lead = {
  id: 'lead',
  typeId: 'core.orchestrator.supervisor',
  config: {
    rules: [
      {
        when: [{ type: 'equals', left: 'output.turn', right: 1 }],
        decide: { kind: 'next-worker', nextWorkerIds: ['story-inside'] },
      },
      { decide: { kind: 'terminate' } },
    ],
  },
}
const send = {
  id: 'send',
  typeId: 'core.dispatch',
  config: { inputMapping: { name: 'name' }, outputMapping: { twin: 'kept' } },
}

/** A parallel branch: it writes and has a child of its own in a loop, and joins the main path at the gate. */
const aside = chain('aside', [noop('begin'), rest('aside-rest'), put('aside'), lead, send, gate('gate')])

const story = {
  ...path,
  nodes: [...path.nodes, ...aside.nodes.slice(1, -1)],
  edges: [
    ...path.edges,
    ...aside.edges.map((edge) => ({ ...edge, id: `aside-${edge.id}` })),
    { id: 'back', sourceNodeId: 'send', targetNodeId: 'lead' },
  ],
  variables: [{ name: 'name', type: 'string' }],
}

export const storyWorkflows = [insideStory, story]

/** The nodes that write, and the contents they leave, in a run of that name with its two children. */
const storyWriters = ['note', 'kept', 'aside', 'after', 'last']
const innerWriters = ['inner-note', 'inner-kept']

export function contentsOf(name: string): string[] {
  return [...storyWriters, ...innerWriters, ...innerWriters].map((nodeId) => `${nodeId} of ${name}`).sort()
}

export async function registerStory(tenant: Tenant): Promise<void> {
  for (const workflow of storyWorkflows) await putWorkflow(tenant, workflow)
}

export async function startStory(tenant: Tenant, name: string): Promise<string> {
  const { run } = await createRun(tenant, { workflowId: 'story', inputs: { name } })
  return run.runId
}

/** Answers every run that waits, until all runs have ended or there is another reason to stop. */
export async function seeThrough(
  tenant: Tenant,
  runIds: readonly string[],
  isOver: () => boolean = () => false,
): Promise<void> {
  const hasEnded = async (runId: string) => {
    const run = (await tenant.storage.runs.get(tenant.id, runId)) as Run
    if (run.status === 'waiting-approval') await answerGate(tenant, runId)
    return isEnded(run.status)
  }
  await eventually(
    'every run has ended',
    async () => (await Promise.all(runIds.map(hasEnded))).every(Boolean) || isOver(),
  )
}

export async function answerGate(tenant: Tenant, runId: string): Promise<void> {
  const answer = { value: { action: 'accept' }, by: null }
  await resolveInterrupt(tenant, { runId, nodeId: 'gate' }, answer).catch((error: unknown) => {
    if (!isColophonError(error, 'interrupt_already_resolved')) throw error
  })
}

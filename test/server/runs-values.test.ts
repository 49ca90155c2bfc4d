import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, startServer, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  host,
  isEnded,
  register,
  type Snapshot,
  snapshotOf,
  startRun,
  until,
  workflows,
} from './runs-calls.ts'

after(releaseServer)

/** What inputs can be, and what is likely to be used wrongly somewhere. */
const values: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '',
  'word',
  '{{inputs.v}}',
  'x'.repeat(70_000),
  '\u0001\u007f\ufffe',
  'scratch:other:a',
  'runs:x',
  '__proto__',
  [],
  [null],
  { a: 1 },
]

/** Each kind of node with a config that works, and the members of it that a workflow may fill from its inputs. */
const nodes: Readonly<Record<string, { readonly config: object; readonly open: readonly string[] }>> = {
  'colophon.memory.put': {
    config: { memoryRef: 'notes', content: 'x' },
    open: ['memoryRef', 'content', 'tags', 'expiresAt', 'subject', 'into'],
  },
  'colophon.memory.list': { config: { memoryRef: 'notes', into: 'r' }, open: ['memoryRef', 'limit', 'tag', 'into'] },
  'colophon.memory.get': { config: { memoryRef: 'notes', id: 'x', into: 'r' }, open: ['memoryRef', 'id', 'into'] },
  'colophon.memory.delete': { config: { memoryRef: 'notes', id: 'x' }, open: ['memoryRef', 'id', 'into'] },
  'core.delay': { config: {}, open: ['delayMs', 'ms', 'durationMs'] },
  'core.fail': { config: {}, open: ['code', 'message'] },
  'core.approvalGate': {
    config: {},
    open: [
      'title',
      'artifactId',
      'artifactType',
      'timeoutMs',
      'approversList',
      'requiredApprovals',
      'artifactData',
      'into',
    ],
  },
  'core.clarificationGate': {
    config: { questions: [{ id: 'a', question: 'b' }] },
    open: ['contextType', 'timeoutMs', 'into'],
  },
  'core.interrupt': { config: { kind: 'custom' }, open: ['key', 'into', 'timeoutMs', 'data'] },
  'core.subWorkflow': { config: { workflowId: 'child' }, open: ['workflowId', 'waitForCompletion', 'inputMapping'] },
  'core.identity': { config: {}, open: ['any'] },
}

const timed = ['core.delay', 'core.approvalGate', 'core.subWorkflow']

/** Runs that a worker has to resume: a run that waits for an answer, or for its time, is not one of them. */
async function underWay(call: Call): Promise<string[]> {
  const found: string[] = []
  for (const status of ['pending', 'running']) {
    const { runs } = (await call('GET', `${host}/runs?status=${status}&limit=500`)).body
    for (const { runId, workflowId } of runs) {
      const { nodeStates } = await snapshotOf(call, runId)
      if (nodeStates.node?.status !== 'waiting') found.push(workflowId)
    }
  }
  return found
}

for (const storage of storagesOfBehaviour) {
  describe(`with random values in a node, its run continues or fails with a reason, on ${storage}`, () => {
    const server = useServer({ storage, env: { COLOPHON_LOG_LEVEL: 'warn' } })

    for (const [typeId, { config, open }] of Object.entries(nodes)) {
      // Texts go the same way in both; numbers become columns.
      if (storage === 'postgres' && !timed.includes(typeId)) continue
      test(typeId, async () => {
        const { call } = await server.tenant()
        await register(call, chain('child', [{ id: 'only', typeId: 'core.noop' }]))
        for (const member of open) {
          const workflowId = `of-${member.toLowerCase()}`
          const document = chain(workflowId, [{ id: 'node', typeId, config: { ...config, [member]: '{{inputs.v}}' } }])
          const { status, text } = await call('POST', workflows, document)
          // Some members cannot be filled from inputs at all; registration refuses such a workflow.
          if (status === 400) continue
          assert.equal(status, 201, text)
          await Promise.all(values.map((v) => startRun(call, workflowId, { inputs: { v } })))
        }
        await eventually(
          `every run with a ${typeId} goes on`,
          async () => (await underWay(call)).length === 0,
          20_000,
        ).catch(async (error: Error) => assert.fail(`${error.message} Stuck: ${(await underWay(call)).join()}`))
        assert.deepEqual((await call('GET', `${host}/jobs?status=dead`)).body.jobs, [])
      })
    }
  })
}

test('the size limit of a run includes its interrupts', async () => {
  await using server = await startServer()
  const { call } = await server.tenant()
  const ids = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6']
  const gates = ids.map((id) => ({ id, typeId: 'core.approvalGate', config: { title: '{{inputs.v}}' } }))
  await register(call, chain('asks-much', gates))
  const runId = await startRun(call, 'asks-much', { inputs: { v: 'x'.repeat(1_000_000) } })
  const isNext = (id: string) => (run: Snapshot) => isEnded(run) || run.interrupt?.nodeId === id
  for (const id of ids) {
    await until(call, runId, `asks ${id}, or has ended`, isNext(id))
    await call('POST', `/v1/runs/${runId}/interrupts/${id}`, { resumeValue: { action: 'accept' } })
  }
  assert.equal((await ended(call, runId)).error?.code, 'state_too_large')
})

test('a node that makes its run too large fails, and earlier results stay', async () => {
  await using server = await startServer()
  const { call } = await server.tenant()
  const copy = (id: string) => ({
    id,
    typeId: 'core.identity',
    inputs: { [`of-${id}`]: { type: 'variable', variableName: 'v' } },
  })
  const first = { id: 'first', typeId: 'core.identity', inputs: { note: { type: 'static', value: 'kept' } } }
  const document = chain('grows', [first, ...['a', 'b', 'c', 'd', 'e'].map(copy)], {
    variables: [{ name: 'v', type: 'string' }],
  })
  await register(call, document)
  const runId = await startRun(call, 'grows', { inputs: { v: 'x'.repeat(900_000) } })
  const run = await ended(call, runId)
  assert.deepEqual([run.status, run.error.code, run.variables.note], ['failed', 'state_too_large', 'kept'])
  const ends = (await eventsOf(call, runId)).filter(({ type }) => /^node\.(completed|failed)$/.test(type))
  assert.equal(new Set(ends.map(({ nodeId }) => nodeId)).size, ends.length, 'a node has ended twice')
})

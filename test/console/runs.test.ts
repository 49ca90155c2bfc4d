import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { type Call, startServer, useServer } from '../support/server.ts'
import { assertQuiet, countClicks, openConsole } from './console.ts'

const server = useServer()

const node = (id: string, typeId: string, config: object) => ({
  id,
  name: id,
  typeId,
  config,
  position: { x: 0, y: 0 },
  inputs: {},
})

const workflow = {
  id: 'visit',
  name: 'Visit',
  version: '1',
  nodes: [
    node('look', 'colophon.memory.list', { memoryRef: 'notes', into: 'seen' }),
    node('note', 'colophon.memory.put', { memoryRef: 'notes', content: 'Seen by a run.' }),
  ],
  edges: [{ id: 'e1', sourceNodeId: 'look', targetNodeId: 'note' }],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

async function completeRun(call: Call, registered: typeof workflow = workflow): Promise<string> {
  const made = await call('POST', '/v1/host/colophon/workflows', registered)
  assert.ok(made.status === 201 || made.status === 200, made.text)
  const { runId } = (await call('POST', '/v1/runs', { workflowId: registered.id })).body
  for (;;) {
    const run = await call('GET', `/v1/runs/${runId}`)
    if (run.body.status === 'completed') return runId
    assert.notEqual(run.body.status, 'failed', run.text)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('a run shows what it read and wrote, and its replay is identical', async () => {
  const { key, call } = await server.tenant()
  const put = await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'Before the run.' })
  const fromWeb = { content: 'From a web page.', trust: 'untrusted' }
  await call('POST', '/v1/host/colophon/memory/notes/entries', fromWeb)
  const runId = await completeRun(call)
  await using page = await openConsole({ url: server.url, key })
  const clicks = countClicks()
  await clicks.on(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Runs' }))
  await clicks.on(page.getByRole('link', { name: 'visit' }))
  await page.getByRole('list', { name: 'Timeline' }).getByText('memory.written').first().waitFor()
  await clicks.on(page.getByRole('tab', { name: 'Memory read and written' }))
  await page.getByRole('list', { name: 'Seen in notes' }).getByText('Before the run.').waitFor()
  assert.equal(clicks.count, 3, 'what the run saw, in words')
  await page.getByRole('link', { name: `Open ${put.body.id}` }).waitFor()
  await page.getByText('unchanged').waitFor()
  await call('PATCH', `/v1/host/colophon/memory/notes/entries/${put.body.id}`, { content: 'After the run.' })
  await page.getByText('changed since').waitFor()
  await page.getByText('Not visible to this run: 1 entry below its trust floor or for other readers.').waitFor()
  const later = await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'Written later.' })
  await page.getByText(/: 1 entry written after its snapshot, 1 entry below its trust floor/).waitFor()
  await call('DELETE', `/v1/host/colophon/memory/notes/entries/${later.body.id}`)
  await page.getByRole('list', { name: 'Seen in notes' }).getByText('Before the run.').waitFor()
  await page.getByText('wrote', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/console/runs/') && !url.pathname.endsWith(runId))
  await page.getByRole('link', { name: `Replay of …${runId.slice(-6)}` }).waitFor()
  await page.getByRole('list', { name: 'Nodes' }).getByText('look').waitFor()
  await page.getByRole('link', { name: 'Show the comparison' }).getByText('identical').click()
  await page.getByText('Identical', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Another run').inputValue(), runId)
  assert.equal((await call('GET', '/v1/host/colophon/memory/notes/entries')).body.entries.length, 2)
  assertQuiet(page)
})

test('a run shows what its agents saw and decided, with hostile text as text', async () => {
  await using own = await startServer({ env: { COLOPHON_TEST_SEAMS: '1' } })
  const { call } = own
  const agentId = 'local.team.concierge'
  const manifest = { agentId, persona: 'The concierge', modelClass: 'general', systemPrompt: 'You help.' }
  await call('POST', '/v1/host/colophon/agents', { ...manifest, memoryShape: { longTerm: true } })
  const put = await call('POST', '/v1/host/colophon/memory/agents%2Flocal.team.concierge/entries', {
    content: 'Ada prefers green tea.',
  })
  const hostile = {
    mockReasoning: { summary: 'Saw <img src=x onerror=alert(1)>.' },
    mockToolCalls: [{ toolId: 'memory:search', result: { count: 1 } }],
    mockDecision: { decision: { kind: 'answered' }, confidence: 0.75 },
  }
  const nodes = [
    { ...node('mock', 'core.conformance.mock-agent', hostile), agent: { agentId: 'local.team.other' } },
    { ...node('ask', 'colophon.agent.run', { task: 'Which tea does Ada prefer?' }), agent: { agentId } },
  ]
  const runId = await completeRun(call, {
    ...{ ...workflow, id: 'agents', nodes },
    edges: [{ id: 'e1', sourceNodeId: 'mock', targetNodeId: 'ask' }],
  })
  await using page = await openConsole(own, `/runs/${runId}?tab=agents`)
  const mock = page.getByRole('list', { name: 'What the agent of mock did' })
  await mock.getByText('Saw <img src=x onerror=alert(1)>.').waitFor()
  await mock.getByText('memory:search', { exact: true }).waitFor()
  await mock.getByText('confidence 0.75').waitFor()
  await page.getByText('local.team.concierge, node ask').waitFor()
  const asked = page.getByRole('list', { name: 'What the agent of ask did' })
  await asked.getByText(`"sources":["${put.body.id}"]`).waitFor()
  await page.getByRole('link', { name: `Open ${put.body.id}` }).waitFor()

  const supervised = await startSupervised(call)
  await page.goto(`${own.url}/console/runs/${supervised}?tab=decisions`)
  const decisions = page.getByRole('list', { name: 'Decisions' })
  await decisions.getByText('Tea <img src=x onerror=alert(2)>?').waitFor()
  await decisions.getByText('agents', { exact: true }).waitFor()
  await decisions.getByText('confidence 0.25', { exact: true }).waitFor()
  await decisions.getByText('The confidence 0.25 is below 0.5: a person is asked.').waitFor()
  await page.getByRole('tab', { name: 'Conversation' }).click()
  const talk = page.getByRole('list', { name: 'Conversation' })
  await talk.getByText('Tea <img src=x onerror=alert(2)>?').waitFor()
  await talk.getByText('<b>Green</b>').waitFor()
  assertQuiet(page)
})

/** A run whose supervisor has asked a person, and then decides with little confidence. */
async function startSupervised(call: Call): Promise<string> {
  const asks = { kind: 'ask-user', prompt: 'Tea <img src=x onerror=alert(2)>?' }
  const sends = { kind: 'next-worker', nextWorkerIds: ['agents'], confidence: 0.25 }
  const rules = [{ when: [{ type: 'equals', left: 'output.turn', right: 1 }], decide: asks }, { decide: sends }]
  const nodes = [node('lead', 'core.orchestrator.supervisor', { rules }), node('send', 'core.dispatch', {})]
  const edges = [
    { id: 'act', sourceNodeId: 'lead', targetNodeId: 'send' },
    { id: 'back', sourceNodeId: 'send', targetNodeId: 'lead' },
  ]
  await call('POST', '/v1/host/colophon/workflows', { ...workflow, id: 'supervised', nodes, edges })
  const { runId } = (await call('POST', '/v1/runs', { workflowId: 'supervised' })).body
  const waitsFor = (kind: string) =>
    eventually(`the run waits for ${kind}`, async () => {
      return (await call('GET', `/v1/runs/${runId}`)).body.interrupt?.kind === kind
    })
  await waitsFor('conversation.exchange')
  const resumeValue = { operation: 'close', turn: { content: '<b>Green</b>' }, outcome: { drink: 'tea' } }
  const answered = await call('POST', `/v1/runs/${runId}/interrupts/send`, { resumeValue })
  assert.equal(answered.status, 200, answered.text)
  await waitsFor('approval')
  return runId
}

// The scenarios of agents that run, against the real server with a model behind a proxy: what passes without a fault fails with one.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConformanceHost, startConformanceHost } from '../test/conformance/host.ts'
import {
  completes,
  type ModelReply,
  type ModelStandIn,
  says,
  startModelStandIn,
} from '../test/support/model-stand-in.ts'
import { agentFaults } from './proxy/agent-faults.ts'
import { type Fault, startProxy } from './proxy/proxy.ts'
import { loadPublished, neighbouringSchemas } from './published.ts'
import { type Result, runConformance } from './run.ts'
import { scenarios } from './scenarios/agent-runtime.ts'

/** A model that calls whatever tool it is told to, once, and then answers. */
const obedient: ModelReply = (response, call) => {
  const wanted = /Call the tool ([\w-]+)/.exec(call.body.messages.find(({ role }) => role === 'user')?.content ?? '')
  const hasCalled = call.body.messages.some(({ role }) => role === 'tool')
  if (wanted === null || hasCalled) return says({ result: { answer: 'Closed.' }, confidence: 0.9 })(response, call)
  const asked = { id: 't0', type: 'function', function: { name: wanted[1], arguments: '{}' } }
  const message = { content: null, tool_calls: [asked] }
  completes({ choices: [{ message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 7, completion_tokens: 3 } })(
    response,
    call,
  )
}

let model: ModelStandIn
let host: ConformanceHost
before(async () => {
  model = await startModelStandIn(obedient)
  host = await startConformanceHost('sqlite', { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'tiny-1' })
})
after(async () => {
  await host[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const lineOf = ({ id, outcome, reason }: Result): string => `${id} ${outcome} ${reason}`.trim()

async function outcomes(fault: Fault, ids: readonly string[]): Promise<string[]> {
  await using proxy = await startProxy(host.target.url, fault)
  const chosen = scenarios.filter(({ id }) => ids.includes(id))
  const published = loadPublished(neighbouringSchemas())
  return (await runConformance({ ...host.target, url: proxy.url }, chosen, { jobs: chosen.length, published })).map(
    lineOf,
  )
}

test('the scenarios of agents pass on a host with a model', async () => {
  const ids = scenarios.map(({ id }) => id)
  assert.deepEqual(
    await outcomes({}, ids),
    ids.map((id) => `${id} executed-pass`),
  )
})

test('they notice every fault, and for the right reason', async () => {
  const judged = await Promise.all(
    agentFaults.map(async ({ name, scenario, reason, fault }) => {
      const [line = `there is no scenario ${scenario}`] = await outcomes(fault, [scenario])
      return line.startsWith(`${scenario} executed-fail`) && reason.test(line) ? [] : [`${name}: ${line}`]
    }),
  )
  assert.deepEqual(judged.flat(), [])
  const tried = new Set(agentFaults.map(({ scenario }) => scenario))
  assert.deepEqual(
    scenarios.filter(({ id }) => !tried.has(id)),
    [],
    'scenarios without a fault',
  )
})

// What can be wrong with agents that run: their claims, their events, what they let through.
import { asArray, type JsonObject } from '../harness.ts'
import { inAnswersTo, inDiscovery, inForkLogs, inVariables, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

const dispatchPath = /\/agents\/[^/]+\/dispatch$/
const invokePath = /\/agents\/live-invoke$/
const logPath = /\/v1\/runs\/[^/]+\/events\/poll/
const runPath = /^\/v1\/runs\/[^/?]+$/

const inLog = (edit: (events: readonly JsonObject[]) => readonly unknown[]): Fault =>
  inAnswersTo(logPath, (body) => ({ ...body, events: edit(asArray(body.events).map(member)) }))

/** The payloads of one type of event. */
const inPayloads = (type: string, edit: (payload: JsonObject) => JsonObject): Fault =>
  inLog((events) =>
    events.map((event) => (event.type === type ? { ...event, payload: edit(member(event.payload)) } : event)),
  )

const inLiveClaim = (edit: (claim: JsonObject) => JsonObject): Fault =>
  inDiscovery((document) => {
    const agents = member(document.agents)
    return { ...document, agents: { ...agents, liveRuntime: edit(member(agents.liveRuntime)) } }
  })

const started = 'agent.invocation.started'
const completed = 'agent.invocation.completed'
const decided = { type: 'agent.decided', payload: { agentId: 'local.x.y', decision: {} } }

const withCode = (code: string): Fault => inPayloads('node.failed', (payload) => ({ ...payload, error: { code } }))

const fault = (scenario: string, name: string, reason: RegExp, made: Fault): NoticedFault => ({
  name: `${scenario}: ${name}`,
  scenario,
  reason,
  fault: made,
})

const ofDispatch: readonly NoticedFault[] = [
  fault(
    'agent-manifest-runtime',
    'an agent that never decides',
    /there is an agent\.decided event/,
    inAnswersTo(dispatchPath, (body) => ({
      ...body,
      events: asArray(body.events).filter((event) => member(event).type !== 'agent.decided'),
    })),
  ),
  fault(
    'agent-manifest-runtime',
    'events without the agent',
    /agentId of an event/,
    inAnswersTo(dispatchPath, (body) => ({
      ...body,
      events: asArray(body.events).map((event) => without('agentId')(member(event))),
    })),
  ),
  fault(
    'agent-manifest-runtime',
    'a tool that was not offered',
    /toolSurface/,
    inAnswersTo(dispatchPath, (body) => ({ ...body, toolSurface: ['memory:search'] })),
  ),
  fault(
    'agent-manifest-runtime',
    'a dispatch that fails',
    /status of the dispatch/,
    inAnswersTo(dispatchPath, (body) => ({ ...body, status: 'failed' })),
  ),
  fault('agent-dispatch-unknown', 'an agent out of nothing', /unknown agent: status/, {
    answer: (answer, { path }) =>
      dispatchPath.test(path) ? { ...answer, status: 200, body: { status: 'completed' } } : answer,
  }),
]

const ofHandoffs: readonly NoticedFault[] = [
  fault(
    'agentPackHandoffSchemaValidation',
    'a task that fits is refused',
    /ends/,
    inAnswersTo(runPath, (body) => ({ ...body, status: body.status === 'completed' ? 'failed' : body.status })),
  ),
  fault(
    'agentPackHandoffSchemaValidation',
    'a result that is lost',
    /the result is kept/,
    inVariables(without('result')),
  ),
  ...['task', 'return'].flatMap((what) => {
    const scenario = `agentPackHandoffSchemaValidation-${what}`
    return [
      fault(
        scenario,
        'what does not fit goes through',
        /the run ends/,
        inAnswersTo(runPath, (body) => ({ ...body, status: body.status === 'failed' ? 'completed' : body.status })),
      ),
      fault(scenario, 'another code', /code of node\.failed/, withCode('model_failed')),
      fault(
        scenario,
        'a result that does not fit is kept',
        /no result is kept/,
        inVariables((variables) => ({ ...variables, result: 1 })),
      ),
      fault(
        scenario,
        'a decision all the same',
        /agent\.decided events/,
        inLog((events) => [...events, decided]),
      ),
    ]
  }),
]

const ofModels: readonly NoticedFault[] = [
  fault(
    'agent-live-runtime-shape',
    'a key of its own',
    /closed block/,
    inLiveClaim((claim) => ({ ...claim, since: '2026' })),
  ),
  fault(
    'agent-live-runtime-shape',
    'an unknown source',
    /a source of the claim/,
    inLiveClaim((claim) => ({ ...claim, sources: ['telephone'] })),
  ),
  fault(
    'agent-live-invocation-bracket',
    'something before the start',
    /the first event/,
    inLog((events) => [decided, ...events]),
  ),
  fault(
    'agent-live-invocation-bracket',
    'no end',
    /the last event/,
    inLog((events) => events.filter(({ type }) => type !== completed)),
  ),
  fault(
    'agent-live-invocation-bracket',
    'two ids',
    /invocationId of the end/,
    inPayloads(completed, (payload) => ({ ...payload, invocationId: 'another' })),
  ),
  fault(
    'agent-live-invocation-bracket',
    'the answer names another invocation',
    /invocationId of the answer/,
    inAnswersTo(invokePath, (body) => ({ ...body, invocationId: 'another' })),
  ),
  fault(
    'agent-live-invocation-bracket',
    'an unknown source',
    /source of the invocation/,
    inPayloads(started, (payload) => ({ ...payload, source: 'telephone' })),
  ),
  fault(
    'agent-live-invocation-bracket',
    'a prompt in the log',
    /shows no prompt/,
    inPayloads(started, (payload) => ({ ...payload, prompt: 'You are' })),
  ),
  fault(
    'agent-live-invocation-bracket',
    'calls that nobody counts',
    /is counted/,
    inLog((events) => events.filter(({ type }) => type !== 'provider.usage')),
  ),
  fault(
    'agent-live-structured-output',
    'what does not fit is an answer',
    /outcome of the invocation/,
    inPayloads(completed, (payload) => ({ ...payload, outcome: 'completed' })),
  ),
  fault(
    'agent-live-structured-output',
    'it is said to fit',
    /not said to fit/,
    inPayloads(completed, (payload) => ({ ...payload, schemaValidated: true })),
  ),
  fault(
    'agent-live-allowlist-enforced',
    'the tool is called',
    /outside the allowlist/,
    inLog((events) =>
      events.flatMap((event) =>
        event.type === completed
          ? [{ type: 'agent.toolCalled', payload: { toolName: 'conformance-disallowed-tool' } }, event]
          : [event],
      ),
    ),
  ),
  fault(
    'agent-live-replay',
    'a replay that asks again',
    /the events of the agent/,
    inForkLogs((events) =>
      events.map((event) =>
        event.type === 'provider.usage' ? { ...event, payload: { ...member(event.payload), inputTokens: 1 } } : event,
      ),
    ),
  ),
]

export const agentFaults: readonly NoticedFault[] = [...ofDispatch, ...ofHandoffs, ...ofModels]

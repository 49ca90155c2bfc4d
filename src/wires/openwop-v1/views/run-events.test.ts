import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEventView } from './run-events.ts'

const event = { sequence: 4, type: 'agent.toolReturned', nodeId: 'ask', at: 0, payload: { agentId: 'local.a.b' } }

test('an event names its agent, and the event that caused it by its id', () => {
  const { eventId } = toEventView('run_1', { ...event, sequence: 3 })
  const view = toEventView('run_1', { ...event, cause: 3 })
  assert.equal(view.agentId, 'local.a.b')
  assert.equal(view.causationId, eventId)
  const handoff = { ...event, type: 'agent.handoff', payload: { fromAgentId: 'local.a.b', toAgentId: 'local.c.d' } }
  assert.equal(toEventView('run_1', handoff).agentId, 'local.a.b')
})

test('an event without an agent or a cause has neither member', () => {
  const view = toEventView('run_1', { ...event, payload: {} })
  assert.equal('agentId' in view || 'causationId' in view, false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containsToolText, maybeFromPerson, saidBy } from './said-by.ts'

test('a message is that of its role, unless a part of it is that of a tool or of the program', () => {
  const text = { type: 'text', text: 'Hi.' }
  for (const [message, by] of [
    [{ role: 'user', content: 'Hi.' }, 'person'],
    [{ role: 'Human', content: [text, { type: 'image_url' }, { type: 'input_file' }] }, 'person'],
    [{ role: 'assistant', content: [text, { type: 'tool_use', input: {} }, { type: 'thinking' }] }, 'model'],
    [{ role: 'model', content: [{ functionCall: {} }] }, 'model'],
    [{ role: 'user', content: 'Hi. <system-reminder>x</system-reminder>' }, 'other'],
    [{ role: 'user', content: [text, { type: 'tool_result', content: 'x' }] }, 'other'],
    [{ role: 'user', content: [text, { toolResult: {} }] }, 'other'],
    [{ role: 'user', content: [{ functionResponse: {} }] }, 'other'],
    [{ role: 'user', content: [{ type: 'document', source: {} }] }, 'other'],
    [{ role: 'assistant', content: [text, { type: 'web_search_tool_result' }] }, 'other'],
    [{ role: 'assistant', content: [{ type: 'tool-invocation', toolInvocation: { state: 'result' } }] }, 'other'],
    [{ role: 'assistant', content: [{ type: 'tool-invocation', toolInvocation: { state: 'call' } }] }, 'model'],
    [{ role: 'assistant', content: [{ type: 'tool-search', state: 'output-available' }] }, 'other'],
    [{ role: 'user', content: [{ type: 'a type of tomorrow', text: 'x' }] }, 'other'],
    [{ role: 'tool', content: 'x' }, 'other'],
    [{ role: 'system', content: 'x' }, 'other'],
    [{ content: 'x' }, 'other'],
    [{ role: 'user', content: 'Hi.', isInjected: true }, 'other'],
  ] as const)
    assert.equal(saidBy(message), by, JSON.stringify(message))
})

test('the messages of tools are found in the state of a program, at any depth', () => {
  const lc = (name: string) => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs: {} })
  for (const value of [
    { messages: [lc('HumanMessage'), lc('ToolMessage')] },
    [[{ role: 'tool', content: 'x' }]],
    { a: { type: 'tool', content: 'x' } },
    { a: [{ type: 'tool_result' }] },
    { a: [{ type: 'function_call_output' }] },
    { a: { type: 'web_search_tool_result' } },
  ])
    assert.ok(containsToolText(value), JSON.stringify(value))
  for (const value of [
    null,
    'tool',
    { likes: 'tea' },
    { messages: [lc('HumanMessage'), lc('AIMessage')] },
    { role: 'tool' },
    { type: 'tool', name: 'hammer' },
  ])
    assert.ok(!containsToolText(value), JSON.stringify(value))
  let deep: object = { role: 'tool', content: 'x' }
  for (let depth = 0; depth < 50_000; depth++) deep = { deep }
  assert.ok(containsToolText(deep))
})

test('only a role other than that of a user says that no person spoke', () => {
  for (const tags of [[], ['role:user'], ['drink', 'session:1']]) assert.ok(maybeFromPerson(tags))
  for (const tag of ['role:assistant', 'role:tool', 'role:system', 'role:model'])
    assert.ok(!maybeFromPerson(['x', tag]))
})

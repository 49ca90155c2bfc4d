import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { parseHookInput } from './hook-input.ts'
import { readTranscript, spokenIn } from './transcript.ts'

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

test('what was said is found in a transcript of Claude Code, and nothing else', () => {
  const said = spokenIn(
    `${lines(
      { type: 'file-history-snapshot', messageId: 'm' },
      { type: 'user', uuid: 'a', message: { role: 'user', content: 'Use pnpm.' } },
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', content: 'x' },
            { type: 'text', text: 'Thanks.' },
          ],
        },
      },
      { type: 'user', origin: { kind: 'task-notification' }, message: { content: 'A task has ended.' } },
      { type: 'user', message: { content: '<system-reminder>Be brief.</system-reminder> Now.' } },
      { type: 'assistant', isApiErrorMessage: true, message: { content: [{ type: 'text', text: 'API Error' }] } },
      { type: 'user', isMeta: true, message: { role: 'user', content: 'Caveat: …' } },
      { type: 'user', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
      {
        type: 'assistant',
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'I will.' },
            { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
          ],
        },
      },
      { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'secret file' }] } },
      { type: 'assistant', isSidechain: true, message: { content: [{ type: 'text', text: 'A subagent.' }] } },
      { type: 'user', isCompactSummary: true, message: { role: 'user', content: 'This session continues …' } },
    )}not json`,
  )
  assert.deepEqual(said, [
    { role: 'user', text: 'Use pnpm.' },
    { role: 'user', text: 'Thanks.' },
    { role: 'user', text: 'Now.' },
    { role: 'assistant', text: 'I will.' },
  ])
})

test('what was said is found in a rollout of Codex, and nothing that the program put in', () => {
  const said = spokenIn(
    lines(
      { timestamp: 't', type: 'session_meta', payload: { id: 's', cwd: '/p' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<env>' }] },
      },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Use pnpm.', images: [] } },
      { type: 'event_msg', payload: { type: 'agent_message', message: 'I will.' } },
      { type: 'event_msg', payload: { type: 'token_count', info: null } },
    ),
  )
  assert.deepEqual(
    said.map(({ role, text }) => `${role}: ${text}`),
    ['user: Use pnpm.', 'assistant: I will.'],
  )
})

test('only the end of a long transcript is read, from the beginning of a line', () => {
  const folder = createFolder()
  const file = folder.file('transcript.jsonl')
  const said = Array.from({ length: 200 }, (_, at) => ({ type: 'user', message: { content: `é message ${at}` } }))
  writeFileSync(file, lines(...said))
  const read = readTranscript(file, 500)
  assert.ok(read.length > 3 && read.length < 12)
  assert.equal(read.at(-1)?.text, 'é message 199')
  assert.equal(read[0]?.text, `é message ${200 - read.length}`)
  folder.remove()
})

test('the input of each assistant has the session and the turn', () => {
  const base = { session_id: '0197-ab', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'Hi' }
  assert.equal(parseHookInput(JSON.stringify({ ...base, prompt_id: 'p1' })).turnId, 'p1')
  assert.equal(parseHookInput(JSON.stringify({ ...base, turn_id: 't1', model: 'm' })).turnId, 't1')
  assert.equal(parseHookInput(JSON.stringify({ ...base, transcript_path: null })).turnId, null)
  assert.ok(parseHookInput(JSON.stringify({ ...base, source: 'user' })).isFromPerson)
  for (const other of [{ agent_id: 'a' }, { source: 'schedule_wakeup' }])
    assert.ok(!parseHookInput(JSON.stringify({ ...base, ...other })).isFromPerson)
  for (const wrong of ['', '[]', 'null', '{}', '{"session_id": "a b"}', `{"session_id": "${'x'.repeat(81)}"}`])
    assert.throws(() => parseHookInput(wrong), { code: 'input_invalid' }, wrong)
})

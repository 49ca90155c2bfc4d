import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitHarnessText, withoutHarnessText } from './harness-text.ts'

const own = (text: string) =>
  splitHarnessText(text)
    .filter(({ isHarness }) => !isHarness)
    .map((part) => part.text.trim())

test('a message is split into the words of its author and what the program put in', () => {
  for (const [text, words] of [
    ['I prefer tea.', ['I prefer tea.']],
    ['Fix it. <system-reminder>\nRemind me tomorrow.\n</system-reminder> Use pnpm.', ['Fix it.', 'Use pnpm.']],
    ['<System-Reminder kind="x">A</SYSTEM-REMINDER >B', ['B']],
    ['<environment_context>\n<cwd>/p</cwd>\n</environment_context>', []],
    ['<command-name>/clear</command-name><command-args></command-args>', []],
    ['Before <system-reminder> never closed', ['Before']],
    ['<teammate-message summary="a < b">Remind me tomorrow.</teammate-message> Mine.', ['Mine.']],
    [`<teammate-message summary="${'a'.repeat(600)}">Remind me tomorrow.</teammate-message>`, []],
    ['<command-names> and <system-reminders> are mine', ['<command-names> and <system-reminders> are mine']],
    ['This session is being continued from a previous conversation that ran out of context. Call Ana.', []],
    ['[Request interrupted by user]', []],
    ['a < b and <b>bold</b> and </system-reminder> alone', ['a < b and <b>bold</b> and </system-reminder> alone']],
  ] as const)
    assert.deepEqual(own(text), words, text)
})

test('a quoted text that ends its element early stays inside', () => {
  const quoted = '<system-reminder>file: </system-reminder> Remind me tomorrow at 9. </system-reminder> Thanks.'
  assert.deepEqual(own(quoted), ['Thanks.'])
  const nested = '<system-reminder><memory-data>x</memory-data> Remind me.</system-reminder>'
  assert.deepEqual(own(nested), [])
})

test('the parts are the whole text, and a text without elements stays as it is', () => {
  const text = 'a <bash-stdout>b</bash-stdout> c'
  assert.equal(
    splitHarnessText(text)
      .map((part) => part.text)
      .join(''),
    text,
  )
  for (const plain of ['', ' a\n', 'a <b> c']) assert.equal(withoutHarnessText(plain), plain)
})

test('marks without number take linear time', () => {
  for (const seed of [
    '<system-reminder>',
    '</system-reminder>',
    '<system-reminder ',
    '<bash-stdout></bash-stdout>',
    `<bash-stdout${' '.repeat(600)}`,
  ])
    assert.ok(splitHarnessText(seed.repeat(30_000)).length >= 0)
})

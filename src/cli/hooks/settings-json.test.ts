import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assistantSettings } from './assistants.ts'

const { install, remove } = assistantSettings['claude-code']
const command = { program: ['/opt/node', '/opt/colophon/main.js'], options: ['--for', 'claude-code'] }
const changed = { ...command, options: [...command.options, '--subject', "ada's"] }

const own = {
  model: 'opus',
  hooks: {
    Stop: [{ hooks: [{ type: 'command', command: 'say done' }] }],
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'check' }] }],
  },
  permissions: { allow: ['Bash(ls)'] },
}

test('hooks are added beside other settings, once, and are removed without a trace', () => {
  for (const indent of [2, '\t']) {
    const before = `${JSON.stringify(own, null, indent)}\n`
    const after = install(before, command)
    assert.equal(install(after, command), after, 'a second time changes nothing')
    const { hooks, ...rest } = JSON.parse(after)
    assert.deepEqual(rest, { model: own.model, permissions: own.permissions })
    assert.deepEqual(Object.keys(hooks).sort(), [
      'PreCompact',
      'PreToolUse',
      'SessionStart',
      'Stop',
      'UserPromptSubmit',
    ])
    assert.equal(hooks.Stop[0].hooks[0].command, 'say done')
    assert.equal(hooks.Stop[1].hooks[0].command, '/opt/node /opt/colophon/main.js hook Stop --for claude-code')
    const replaced = install(after, changed)
    assert.match(replaced, /--subject 'ada'/)
    assert.equal(replaced.split('hook Stop').length, 2, 'other options replace the command')
    assert.equal(remove(replaced), before)
  }
})

test('a file with nothing else is removed with the hooks', () => {
  assert.equal(remove(install(null, command)), null)
  assert.equal(remove(install('{}', command)), null)
})

test('a file that would lose something is refused', () => {
  for (const text of [
    '{ // mine\n "model": "opus" }',
    '{ "model": "a", "model": "b" }',
    '{ "number": 12345678901234567890 }',
    '{ "model": "opus", }',
    '[]',
    '{ "hooks": [] }',
    '{ "hooks": { "Stop": {} } }',
  ]) {
    assert.throws(() => install(text, command), /would be lost/, text)
    assert.throws(() => remove(text), /would be lost/, text)
  }
})

test('whatever the settings are, installing and removing gives them back', () => {
  const settings = fc.dictionary(
    fc.string().filter((name) => name !== 'hooks' && name !== '__proto__'),
    fc.jsonValue({ maxDepth: 2 }),
    { minKeys: 1 },
  )
  fc.assert(
    fc.property(settings, (value) => {
      const before = `${JSON.stringify(value, null, 2)}\n`
      assert.equal(remove(install(before, command)), before)
    }),
    { numRuns: 50 },
  )
})

test('the plugin of opencode replaces and removes itself only', () => {
  const opencode = assistantSettings.opencode
  const plugin = opencode.install(null, command)
  assert.equal(opencode.install(plugin, command), plugin)
  assert.equal(opencode.remove(plugin), null)
  const other = 'export const Mine = async () => ({})\n'
  assert.throws(() => opencode.install(other, command), /another plugin/)
  assert.equal(opencode.remove(other), other)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checkNodeVersion } from './node-version.ts'

test('an old Node is refused with a message instead of a crash', () => {
  for (const version of ['20.20.2', '22.14.9', '18.0.0'])
    assert.throws(() => checkNodeVersion(version), /needs Node 22\.15 or newer/)
  for (const version of ['22.15.0', '22.23.3', '24.0.0', '26.1.0']) checkNodeVersion(version)
})

test('the program imports nothing by name from Node before it has checked the version', () => {
  const program = readFileSync(new URL('../cli/main.ts', import.meta.url), 'utf8')
  const [before = ''] = program.split('checkNodeVersion()')
  assert.doesNotMatch(before, /^import \{[^}]*\} from 'node:/m, 'an older Node would say that the name is missing')
})

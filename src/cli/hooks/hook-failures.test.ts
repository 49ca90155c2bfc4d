import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { hookChecks, noteFailure, noteSuccess } from './hook-failures.ts'
import { hookLimits } from './hook-limits.ts'

test('the doctor reports what failed last, until a later call works', () => {
  const folder = createFolder()
  const file = folder.file('config/hook-failures.json')
  const failure = { assistant: 'codex', event: 'Stop', code: 'unauthenticated' }
  const statuses = () => hookChecks(file).map(({ status }) => status)
  noteSuccess('codex', '2026-01-01T00:00:00Z', file)
  assert.deepEqual(statuses(), [])
  assert.throws(() => statSync(file), 'a call that works writes no file')

  for (let at = 10; at < 40; at++) noteFailure({ ...failure, at: `2026-01-01T00:00:${at}Z` }, file)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).failures.length, hookLimits.failuresKept)
  assert.match(hookChecks(file)[0]?.todo ?? '', /valid key/)
  assert.deepEqual(statuses(), ['fail'])

  noteSuccess('claude-code', '2026-01-01T00:01:00Z', file)
  assert.deepEqual(statuses(), ['fail'], 'another assistant says nothing about this one')
  noteSuccess('codex', '2026-01-01T00:01:00Z', file)
  assert.deepEqual(statuses(), ['warn'])
  folder.remove()
})

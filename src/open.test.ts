import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openColophon } from './open.ts'

test('the memory handle of a tenant has its methods and nothing that reaches another tenant', async () => {
  await using colophon = await openColophon({ inMemory: true })
  const memory = colophon.memory('acme')
  assert.deepEqual(
    Object.values(memory).filter((member) => typeof member !== 'function'),
    [],
  )
  for (const part of ['engine', 'storage', 'system', 'host', 'commit', 'context']) assert.ok(!(part in memory), part)
  // The methods can be destructured.
  const { put, list } = memory
  await put('notes', { content: 'Ada prefers tea.' })
  assert.equal((await list('notes')).entries.length, 1)
  assert.equal((await colophon.memory('globex').list('notes')).entries.length, 0)
})

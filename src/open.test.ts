import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFolder } from '../test/support/temporary-folder.ts'
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

test('a program that wrote nothing for more than a year writes again with a trusted clock', async () => {
  const day = 24 * 60 * 60 * 1_000
  const folder = createFolder()
  const path = folder.file('memory.db')
  const putAt = async (now: number, options: object = {}) => {
    await using colophon = await openColophon({ path, now: () => now, ...options })
    await colophon.memory('acme').put('notes', { content: 'Ada prefers tea.' })
  }
  const start = Date.parse('2026-01-01T00:00:00Z')
  try {
    await putAt(start)
    const late = start + 400 * day
    await assert.rejects(putAt(late), { code: 'clock_ahead' })
    await putAt(late, { clockTrusted: true })
    await putAt(late + day)
  } finally {
    folder.remove()
  }
})

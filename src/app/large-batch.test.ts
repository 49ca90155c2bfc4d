import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../test/support/count-turns.ts'
import { openUseCases } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { limits } from '../core/limits.ts'
import { putMany } from './entries/put.ts'
import { verify } from './verify/verify.ts'

const drafts = (count: number, characters: number) =>
  Array.from({ length: count }, (_, n) => ({ content: `${n} "é😀" `.repeat(characters / 8), tags: ['a'] }))

test('the digests of a large batch are begun before its commit, with turns for other work between them', async () => {
  let texts = 0
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      commit(batch) {
        const stringify = JSON.stringify
        const contents = new Set(batch.puts.map(({ content }) => content))
        // The texts that are written as JSON, which a digest begins with, while the batch is stored.
        JSON.stringify = ((value: unknown, ...more: []) => {
          if (Array.isArray(value) && contents.has(value[0] as string)) texts += 1
          return stringify(value, ...more)
        }) as typeof stringify
        try {
          return storage.commit(batch)
        } finally {
          JSON.stringify = stringify
        }
      },
    }
  })
  const large = drafts(300, limits.commitGroupCharactersMax / 100)
  const { result, turns } = await countTurns(() => putMany(world.tenant, 'notes', large))
  const { entries } = result
  assert.deepEqual(
    entries.map(({ content }) => content),
    large.map(({ content }) => content),
  )
  assert.equal(texts, 0, 'no text is digested while the batch is stored')
  assert.ok(turns > 3, `${turns} turns`)
  // The digests are those that the audit is verified with.
  await putMany(world.tenant, 'notes', drafts(3, 100))
  assert.equal(texts, 3, 'a small batch is digested at once')
  assert.equal((await verify(world.tenant, { contents: true })).ok, true)
})

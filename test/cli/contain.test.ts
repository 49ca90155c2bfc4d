import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'

for (const [name, open] of waysOfBehaviour) {
  describe(`contain, ${name}`, () => {
    test('lists, contains and releases what came from a run', async () => {
      await using way = await open()
      const applied = await way.json('contain', '--run', 'run_1', '--reason', 'test', '--since', '1')
      assert.deepEqual([applied.status, applied.counts.entries], ['applied', 0])
      assert.match(await way.text('contain', '--key-id', 'key_1', '--dry-run'), /Check the spelling/)
      assert.match(await way.text('contain', 'list'), new RegExp(`${applied.id} +applied +run run_1`))
      assert.match(await way.text('contain', 'release', applied.id), /is released/)
      await way.fails(4, 'contain', 'release', applied.id)
    })
  })
}

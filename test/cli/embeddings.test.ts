import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

for (const [name, open] of waysOfBehaviour) {
  test(`embeddings at the command line, ${name}`, async () => {
    await using way = await open()
    assert.match(await way.text('embeddings', 'status'), /no embedder: search matches words only/)
    assert.equal((await way.json('embeddings', 'status')).configured, false)
    assert.match(await way.fails(4, 'embeddings', 'rebuild'), /embeddings_off/)
  })
}

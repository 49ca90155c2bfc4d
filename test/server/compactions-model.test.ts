import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { refuses, says, startModelStandIn } from '../support/model-stand-in.ts'
import { startServer } from '../support/server.ts'

const host = '/v1/host/colophon'
const entries = `${host}/memory/log/entries`

test('a configured model writes the summary; while it fails nothing is written, and the job is retried', async () => {
  await using model = await startModelStandIn(refuses(503, 'busy'), says({ summary: 'Ada and Bob like 2 drinks.' }))
  await using server = await startServer({ env: { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'tiny-1' } })
  const { call } = await server.tenant()
  for (const content of ['Ada likes tea, 1 cup.', 'Bob likes coffee, 2 cups.']) await call('POST', entries, { content })
  const { body: started } = await call('POST', `${host}/compactions`, { memoryRef: 'log' })
  await eventually('the model was asked', async () => model.calls.length === 1)
  assert.equal((await call('GET', entries)).body.entries.length, 2)
  const get = async () => (await call('GET', `${host}/compactions/${started.id}`)).body
  await eventually('it was compacted', async () => (await get()).status === 'completed')
  assert.equal((await get()).summariser, 'tiny-1')
  const [output, ...others] = (await call('GET', entries)).body.entries
  assert.deepEqual([output.content, others], ['Ada and Bob like 2 drinks.', []])
  assert.doesNotMatch(server.logs(), /drinks|coffee/)
})

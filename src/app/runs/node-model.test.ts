import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, startRun } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { ChatModel } from '../../ports/chat-model.ts'

const answer = { text: 'Tea.', toolCalls: [], isRefused: false, isTruncated: false }
const model: ChatModel = {
  provider: 'test',
  model: 'tiny',
  complete: async () => ({ ...answer, usage: { inputTokens: 1, outputTokens: 1 } }),
}

/** The keys of the same request in two runs of a tenant. */
async function keysOfRequests() {
  await using world = openUseCases(openInMemoryStore, { host: { model } })
  await putChain(world, 'asks', [{ id: 'ask', typeId: 'colophon.model.generate', config: { prompt: 'What?' } }])
  const runs = [await startRun(world, { workflowId: 'asks' }), await startRun(world, { workflowId: 'asks' })]
  return runs.map(({ facts }) => facts.modelCalls?.[0]?.key)
}

test('the hash of a request has the key of the tenant: without it a forgotten prompt could be guessed', async () => {
  const [one, again] = await keysOfRequests()
  const [other] = await keysOfRequests()
  assert.ok(one !== undefined && other !== undefined)
  assert.equal(one, again)
  assert.notEqual(one, other)
})

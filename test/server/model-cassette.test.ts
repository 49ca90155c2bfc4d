import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { createChatModel } from '../../src/adapters/model-api/chat-model.ts'
import { startModelCassette } from '../support/model-cassette.ts'
import { says, startModelStandIn } from '../support/model-stand-in.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { openUseCases, putChain, startRun } from '../support/use-cases.ts'

const apiKey = 'CANARY-key-of-the-model'

/** What the model behind this address says to each of these prompts; the code of the error where it says nothing. */
async function answersOf(url: string, prompts: readonly string[]): Promise<unknown[]> {
  const model = createChatModel({ url, model: 'tiny-1', apiKey })
  await using world = openUseCases(openInMemoryStore, { host: { model } })
  const answers: unknown[] = []
  for (const prompt of prompts) {
    const config = { prompt: '{{inputs.prompt}}', into: 'said' }
    await putChain(world, 'asks', [{ id: 'ask', typeId: 'colophon.model.generate', config }])
    const run = await startRun(world, { workflowId: 'asks', inputs: { prompt } })
    answers.push(run.text.variables.said ?? run.text.error?.code)
  }
  return answers
}

test('a cassette repeats what a model said to the same request, and says nothing to another', async () => {
  const file = createFolder().file('answers.json')
  {
    await using model = await startModelStandIn(says('Tea.'), says('Coffee.'), says('never'))
    await using recorder = await startModelCassette(file, model.url)
    assert.deepEqual(await answersOf(recorder.url, ['What?', 'And then?', 'What?']), ['Tea.', 'Coffee.', 'Tea.'])
    assert.equal(model.calls.length, 2)
  }
  assert.ok(!readFileSync(file, 'utf8').includes(apiKey))
  await using player = await startModelCassette(file)
  assert.deepEqual(await answersOf(player.url, ['And then?', 'What?', 'Who?']), ['Coffee.', 'Tea.', 'model_failed'])
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { host } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { releaseServer, run } from '../support/databases.ts'
import { startEmbedderStandIn } from '../support/embedder-stand-in.ts'
import { type Call, createHome, type Home, startServer, storagesOfBehaviour } from '../support/server.ts'
import { counted, forgotten } from './calls.ts'

after(releaseServer)

/** Directions that no other text has. They are of length 1, so they are stored unchanged. */
const ofAda = [0.6, -0.8, 0]
const ofBob = [0, 0.28, -0.96]
const bytesOf = (vector: number[]) => Buffer.from(Float32Array.from(vector).buffer)

/** Whether a vector is anywhere in what the host keeps. */
async function isKept(home: Home, vector: number[]): Promise<boolean> {
  const url = home.env.COLOPHON_DATABASE_URL
  if (url !== undefined) {
    const found = await run(url, 'select 1 from entry_vector where vector = $1', [bytesOf(vector)])
    return found.length > 0
  }
  const files = readdirSync(home.dataDir).filter((name) => name.includes('.db'))
  return files.some((name) => readFileSync(join(home.dataDir, name)).includes(bytesOf(vector)))
}

async function putEmbedded(call: Call, content: string, subject: string, vectors: number): Promise<void> {
  const { status, text } = await call('POST', `${host}/memory/notes/entries`, { content, subject })
  assert.equal(status, 201, text)
  await eventually(`there are ${vectors} vectors`, async () => {
    const { body } = await call('GET', `${host}/embeddings`)
    return body.vectors === vectors && body.waiting === 0
  })
}

for (const storage of storagesOfBehaviour) {
  describe(`vectors on ${storage}`, () => {
    test('vectors are deleted with their forgotten texts, and the receipt includes a check for them', async () => {
      await using embedder = await startEmbedderStandIn()
      embedder.interfere = (response, { body }) => {
        const data = body.input.map((text, index) => ({
          index,
          embedding: text.includes('Ada') ? ofAda : text.includes('Bob') ? ofBob : [1, 0, 0],
        }))
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }))
        return true
      }
      await using home = await createHome(storage)
      const env = { COLOPHON_EMBEDDINGS: embedder.url, COLOPHON_EMBEDDINGS_MODEL: 'three' }
      await using server = await startServer({ home, env })
      const { call } = server
      await putEmbedded(call, 'Ada keeps bees', 'ada', 1)
      await putEmbedded(call, 'Bob paints', 'bob', 2)
      assert.deepEqual([await isKept(home, ofAda), await isKept(home, ofBob)], [true, true], 'the check can find them')
      assert.equal((await counted(call, { subject: 'ada' })).entries, 1)
      const { receipt } = await forgotten(call, { subject: 'ada' })
      assert.deepEqual([receipt.left.vectors, receipt.left.searchRows], [0, 0])
      assert.deepEqual([await isKept(home, ofAda), await isKept(home, ofBob)], [false, true])
      assert.equal((await call('GET', `${host}/embeddings`)).body.vectors, 1)
      const found = await call('POST', `${host}/memory/notes/search`, { query: 'What does Ada keep?' })
      assert.deepEqual(
        found.body.results.map(({ entry }: { entry: { content: string } }) => entry.content),
        ['Bob paints'],
      )
    })
  })
}

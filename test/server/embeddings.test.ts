import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type EmbedderStandIn, refusesWith, startEmbedderStandIn } from '../support/embedder-stand-in.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, createHome, startServer, storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const envOf = ({ url }: EmbedderStandIn, model = 'tiny-1') => ({
  COLOPHON_EMBEDDINGS: url,
  COLOPHON_EMBEDDINGS_MODEL: model,
  COLOPHON_EMBEDDINGS_API_KEY: 'key-for-the-embedder',
})

type Found = {
  results: { entry: { id: string; content: string }; parts: Record<string, number> }[]
  position: number
  degraded?: string
}

function callsOf(call: Call) {
  return {
    call,
    async put(content: string, ref = 'notes', more: object = {}) {
      const { status, body, text } = await call('POST', `${host}/memory/${ref}/entries`, { content, ...more })
      assert.equal(status, 201, text)
      return body as { id: string }
    },
    async search(query: string, more: object = {}, ref = 'notes') {
      const { status, body, text } = await call('POST', `${host}/memory/${ref}/search`, { query, ...more })
      assert.equal(status, 200, text)
      return body as Found
    },
    status: async () => (await call('GET', `${host}/embeddings`)).body,
    async embedded(vectors: number) {
      await eventually(`there are ${vectors} vectors`, async () => {
        const status = (await call('GET', `${host}/embeddings`)).body
        return status.vectors === vectors && status.waiting === 0 && status.otherVectors === 0
      })
    },
  }
}

const contents = ({ results }: Found) => results.map(({ entry }) => entry.content)

for (const storage of [...storagesOfBehaviour, 'memory'] as const) {
  describe(`embeddings on ${storage}`, () => {
    test('a text with the same meaning in other words is found, only in its own ref and tenant, and at its own position', async () => {
      await using embedder = await startEmbedderStandIn()
      await using server = await startServer({ storage, env: envOf(embedder) })
      const { put, search, embedded, call } = callsOf((await server.tenant()).call)
      const puppy = await put('Our puppy sleeps a lot')
      await put('Bob paints lighthouses')
      await put('A vehicle was parked')
      await embedded(3)
      assert.deepEqual(contents(await search('hound', { limit: 1 })), ['Our puppy sleeps a lot'])
      const [best] = (await search('hound', { explain: true })).results
      assert.ok((best?.parts.similarity ?? 0) > 0)
      assert.deepEqual(contents(await search('hound', { mode: 'lexical' })), [])
      const before = await search('hound', { limit: 1 })

      // Entries of other refs and tenants, and later ones, change nothing.
      const rival = callsOf((await server.tenant()).call)
      await rival.put('A hound of the rival')
      await rival.embedded(1)
      await put('A dog in another ref', 'other')
      await embedded(4)
      assert.deepEqual((await search('hound', { limit: 1 })).results, before.results)
      await put('The dog is back')
      await embedded(5)
      const then = await search('hound', { asOf: before.position, limit: 3 })
      assert.ok(!contents(then).includes('The dog is back'))
      assert.deepEqual(contents(then)[0], 'Our puppy sleeps a lot')
      assert.ok(contents(await search('hound', { limit: 3 })).includes('The dog is back'))

      assert.equal((await call('DELETE', `${host}/memory/notes/entries/${puppy.id}`)).status, 200)
      assert.ok(!contents(await search('hound', { limit: 3 })).includes('Our puppy sleeps a lot'))
      const discovery = (await call('GET', '/.well-known/openwop')).body
      assert.deepEqual(discovery.memory.search.modes, ['filter', 'semantic'])
    })

    test('an expired entry is not found, although its vector is still stored', async () => {
      await using embedder = await startEmbedderStandIn()
      await using server = await startServer({ storage, env: envOf(embedder) })
      const { put, search, embedded, status, call } = callsOf((await server.tenant()).call)
      await put('The vehicle was parked')
      await embedded(1)
      const listed = async () => (await call('GET', `${host}/memory/notes/entries`)).body.entries.length
      await makeBrief(async (expiresAt) => {
        const brief = { content: 'Our puppy sleeps a lot', expiresAt }
        if ((await call('POST', `${host}/memory/notes/entries`, brief)).status !== 201) return null
        await eventually('nothing waits for a vector', async () => (await status()).waiting === 0)
        return (await listed()) === 2 || null
      })
      await eventually('it has expired', async () => (await listed()) === 1)
      assert.ok((await status()).vectors >= 2)
      assert.deepEqual(contents(await search('hound')), ['The vehicle was parked'])
    })

    test('another model, or another vector length, makes all vectors anew and removes the old ones', async () => {
      await using embedder = await startEmbedderStandIn()
      await using home = await createHome(storage)
      if (storage === 'memory') return
      await using first = await startServer({ home, env: envOf(embedder) })
      const { put, embedded, search } = callsOf(first.call)
      await put('Our puppy sleeps a lot')
      await put('A vehicle was parked')
      await embedded(2)
      embedder.dimensions = 24
      // The query is what shows the new length; until there are new vectors, search uses words only.
      assert.deepEqual(contents(await search('hound again')), [])
      await put('Nothing of it')
      await embedded(3)
      assert.deepEqual(contents(await search('hound', { limit: 1 })), ['Our puppy sleeps a lot'])
      assert.equal((await callsOf(first.call).status()).dimensions, 24)
      await first.stop()
      await using second = await startServer({ home, env: envOf(embedder, 'tiny-2') })
      const again = callsOf(second.call)
      await again.embedded(3)
      assert.equal((await again.status()).model, 'tiny-2')
    })
  })
}

test('texts are sent in batches, redacted, once each, with the key and nothing else', async () => {
  await using embedder = await startEmbedderStandIn()
  await using server = await startServer({ env: envOf(embedder) })
  const { call, put, search, embedded } = callsOf((await server.tenant()).call)
  const secret = 'correct-horse-battery-staple'
  assert.equal((await call('PUT', `${host}/secrets/vault-word`, { value: secret })).status < 300, true)
  await call('POST', `${host}/memory/notes/entries:batch`, {
    entries: Array.from({ length: 70 }, (_, at) => ({ content: `note ${at % 35}` })),
  })
  await put(`the word is ${secret}`)
  await search(`who knows ${secret}?`)
  const { body } = await call('GET', `${host}/embeddings`)
  await embedded(body.versions)
  const texts = embedder.texts().filter((text) => text !== 'memory')
  assert.equal(texts.length, new Set(texts).size)
  assert.ok(texts.some((text) => text.startsWith('the word is [REDACTED')))
  assert.ok(texts.some((text) => text.startsWith('who knows [REDACTED')))
  assert.doesNotMatch(JSON.stringify(embedder.calls), new RegExp(secret))
  for (const { path, headers, body: sent } of embedder.calls) {
    assert.equal(path, '/v1/embeddings')
    assert.equal(headers.authorization, 'Bearer key-for-the-embedder')
    assert.deepEqual(Object.keys(sent).sort(), ['encoding_format', 'input', 'model'])
    assert.ok(sent.input.length <= 64)
  }
  assert.doesNotMatch(server.logs(), /note \d|key-for-the-embedder/)
})

test('while the embedder fails, search uses words only and reports it, and discovery does not claim semantic search', async () => {
  await using embedder = await startEmbedderStandIn()
  embedder.interfere = refusesWith(503)
  await using server = await startServer({ env: envOf(embedder) })
  const { call, put, search, status, embedded } = callsOf((await server.tenant()).call)
  await put('Our puppy sleeps a lot')
  const found = await search('puppy')
  assert.deepEqual(contents(found), ['Our puppy sleeps a lot'])
  assert.equal(found.degraded, 'semantic')
  const retrieved = await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'puppy' })
  assert.equal(retrieved.status, 200, retrieved.text)
  assert.equal(retrieved.body.degraded, 'semantic')
  assert.deepEqual((await call('GET', '/.well-known/openwop')).body.memory.search.modes, ['filter'])
  const { working, failure } = await status()
  assert.deepEqual({ working, failure }, { working: false, failure: 'model_unavailable' })
  embedder.interfere = null
  await embedded(1)
  await eventually('the embedder is used again', async () => (await search('hound')).degraded === undefined)
  assert.deepEqual(contents(await search('hound')), ['Our puppy sleeps a lot'])
})

test('while the embedder does not answer, search and retrieve use words only and report it', async () => {
  await using embedder = await startEmbedderStandIn()
  // Accepts every call, and answers none.
  embedder.interfere = () => true
  await using server = await startServer({ env: envOf(embedder) })
  const { call, put, search } = callsOf((await server.tenant()).call)
  await put('Our puppy sleeps a lot')
  const found = await search('puppy')
  assert.deepEqual(contents(found), ['Our puppy sleeps a lot'])
  assert.equal(found.degraded, 'semantic')
  const calls = embedder.calls.length
  const retrieved = await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'puppy' })
  assert.equal(retrieved.status, 200, retrieved.text)
  assert.equal(retrieved.body.degraded, 'semantic')
  assert.equal(embedder.calls.length, calls, 'it is left alone for a while')
})

test('responses that are not vectors are not used', async () => {
  await using embedder = await startEmbedderStandIn()
  const bodies = [
    '{',
    '{"data":[]}',
    '{"data":[{"index":0,"embedding":["x"]}]}',
    '{"data":[{"index":7,"embedding":[1]}]}',
  ]
  await using server = await startServer({ env: envOf(embedder) })
  const { put, search } = callsOf((await server.tenant()).call)
  embedder.interfere = (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(bodies[embedder.calls.length % bodies.length])
    return true
  }
  await put('Our puppy sleeps a lot')
  assert.equal((await search('puppy')).degraded, 'semantic')
})

test('a rebuild resumes where a killed process stopped, and vectors are deleted with their entries', async () => {
  await using embedder = await startEmbedderStandIn()
  await using home = await createHome('sqlite')
  await using first = await startServerProcess({ home, env: envOf(embedder) })
  const { put, embedded, call } = callsOf(first.call)
  const entries = Array.from({ length: 200 }, (_, at) => ({ content: `note ${at}` }))
  await call('POST', `${host}/memory/notes/entries:batch`, { entries: entries.slice(0, 100) })
  await call('POST', `${host}/memory/notes/entries:batch`, { entries: entries.slice(100) })
  await put('the dog')
  await embedded(201)
  // The third batch of the rebuild is never answered: that is where the process is killed.
  embedder.calls.length = 0
  embedder.interfere = () => embedder.calls.length > 2
  const { status, body } = await call('POST', `${host}/embeddings:rebuild`)
  assert.equal(status, 202)
  await eventually('two batches are done', async () => embedder.calls.length > 2)
  await first.kill()
  embedder.interfere = null
  embedder.calls.length = 0
  await using second = await startServer({ home, env: envOf(embedder) })
  const again = callsOf(second.call)
  await eventually('the rebuild is done', async () => {
    const job = (await again.call('GET', `${host}/jobs/${body.jobId}`)).body
    return job.status === 'completed'
  })
  // What was done before is not done again.
  const texts = embedder.texts().filter((text) => text !== 'memory')
  assert.equal(new Set(texts).size, texts.length)
  assert.ok(texts.length < 150, `${texts.length} texts`)
  assert.equal((await again.status()).vectors, 201)
})

test('without an embedder nothing is embedded, and a rebuild explains what to configure', async () => {
  await using server = await startServer()
  const { call, put, search } = callsOf((await server.tenant()).call)
  await put('Our puppy sleeps a lot')
  assert.deepEqual(await callsOf(call).status(), {
    ...{ configured: false, working: false, model: null, dimensions: null, failure: null },
    ...{ versions: 1, waiting: 0, vectors: 0, otherVectors: 0, method: 'codes' },
  })
  assertError(await call('POST', `${host}/embeddings:rebuild`), 409, 'embeddings_off')
  assertError(
    await call('POST', `${host}/memory/notes/search`, { query: 'x', mode: 'semantic' }),
    400,
    'validation_error',
  )
  assert.equal((await search('puppy')).degraded, undefined)
})

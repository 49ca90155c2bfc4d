import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addWriter, ingest } from '../console/story.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const path = '/v1/host/colophon/search'
const put = '/v1/host/colophon/memory/notes/entries'
type Found = { readonly id: string; readonly content: string; readonly status: string }

test('a search over the tenant finds memories, refs, events, claims and ids, and pages through all memories', async () => {
  const { call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 80)
  await ingest(call, 'ada', { service: 'chat', event: 'evt-77', text: 'Ada likes the dark theme.' })
  await ingest(call, 'ada', { service: 'crm', event: 'evt-78', text: 'Ada likes the light theme.' })
  const note = await call('POST', put, { content: 'The umbrella is in the hall.', tags: ['house'] })
  await call('POST', put, { content: 'Ada bought an umbrella.', trust: 'untrusted' })
  const find = async (body: object) => (await call('POST', path, body)).body
  const texts = async (body: object) => ((await find(body)).memories as Found[]).map(({ content }) => content)

  const found = await find({ query: 'ada' })
  assert.deepEqual(
    found.memories.map(({ content, writer, memoryRef }: Record<string, unknown>) => [content, writer, memoryRef]),
    [['Ada likes the light theme.', 'crm', 'subject:ada']],
    'what is in quarantine is left out',
  )
  assert.equal(found.refs[0].memoryRef, 'subject:ada')
  assert.deepEqual(
    found.claims.map(({ subject, claimKey }: Record<string, unknown>) => [subject, claimKey]),
    [['ada', 'ui.theme']],
  )
  assert.deepEqual((await find({ query: 'EVT-77' })).sources[0].service, 'chat')
  assert.deepEqual((await find({ query: note.body.id.slice(0, 30) })).memories[0].id, note.body.id)
  assert.deepEqual((await find({ query: found.claims[0].id.slice(0, 12) })).claims[0].id, found.claims[0].id)

  assert.deepEqual(await texts({ trust: 'untrusted' }), ['Ada bought an umbrella.'])
  assert.deepEqual(await texts({ query: 'umbrella', tag: 'house' }), ['The umbrella is in the hall.'])
  assert.deepEqual(await texts({ writer: 'crm' }), ['Ada likes the light theme.'])
  assert.deepEqual(await texts({ status: 'superseded' }), ['Ada likes the dark theme.'])
  assert.deepEqual(await texts({ asOf: found.position, trustMin: 'untrusted', query: 'bought' }), [
    'Ada bought an umbrella.',
  ])

  const all: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 10; pages++) {
    const page = await find({
      limit: 1,
      status: 'any',
      trustMin: 'untrusted',
      kinds: ['memories'],
      ...(cursor && { cursor }),
    })
    all.push(...page.memories.map(({ content }: Found) => content))
    cursor = page.cursor
    if (cursor === undefined) break
  }
  assert.deepEqual(all, [
    'Ada bought an umbrella.',
    'The umbrella is in the hall.',
    'Ada likes the light theme.',
    'Ada likes the dark theme.',
  ])
})

test('a search in one ref is newest first, combines its filters, and pages', async () => {
  const { call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 80)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'ada', { service: 'crm', event: 'e2', text: 'Ada likes the light theme.' })
  const first = await call('POST', put, { content: 'Ada owns a boat.', tags: ['boat'], subject: 'ada' })
  await call('POST', put, { content: 'Ada sold the boat.', tags: ['boat'], trust: 'untrusted' })
  await call('POST', put.replace('notes', 'other'), { content: 'Another boat.', tags: ['boat'] })
  await call('PATCH', `${put}/${first.body.id}`, { content: 'Ada owns a red boat.' })
  const find = async (body: object) => (await call('POST', path, { kinds: ['memories'], ...body })).body
  const texts = async (body: object) => ((await find(body)).memories as Found[]).map(({ content }) => content)
  const [sold, owns] = ['Ada sold the boat.', 'Ada owns a red boat.']
  const [light, dark] = ['Ada likes the light theme.', 'Ada likes the dark theme.']
  const notes = { memoryRef: 'notes' }
  assert.deepEqual(await texts(notes), [owns])
  assert.deepEqual(await texts({ ...notes, trustMin: 'untrusted' }), [sold, owns])
  assert.deepEqual(await texts({ ...notes, trust: 'untrusted', tag: 'boat' }), [sold])
  assert.deepEqual(await texts({ ...notes, trust: 'untrusted', tag: 'ship' }), [])
  assert.deepEqual(await texts({ ...notes, query: 'RED boat' }), [owns])
  assert.deepEqual(await texts({ subject: 'ada', hasClaim: false }), [owns])
  const ada = { memoryRef: 'subject:ada' }
  assert.deepEqual(await texts({ ...ada, hasClaim: false }), [])
  assert.deepEqual(await texts({ ...ada, status: 'any', hasClaim: true }), [light, dark])
  assert.deepEqual(await texts({ ...ada, status: 'superseded' }), [dark])
  assert.deepEqual(await texts({ ...ada, status: 'superseded', writer: 'crm' }), [])
  for (const memoryRef of ['subject:bo', 'not a ref', '']) assert.deepEqual(await texts({ memoryRef }), [])
  const wrong = await call('POST', path, { ...notes, cursor: 'x' })
  assert.deepEqual([wrong.status, wrong.body.details.field], [400, 'cursor'])

  const all: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 10; pages++) {
    const page = await find({ ...notes, limit: 1, trustMin: 'untrusted', ...(cursor && { cursor }) })
    all.push(...page.memories.map(({ content }: Found) => content))
    cursor = page.cursor
    if (cursor === undefined) break
    // Written between two pages: not part of the list.
    await call('POST', put, { content: 'Later.' })
  }
  assert.deepEqual(all, [sold, owns])
  const { position } = await find(notes)
  await call('DELETE', `${put}/${first.body.id}`)
  assert.ok(!(await texts(notes)).includes(owns))
  assert.ok((await texts({ ...notes, asOf: position })).includes(owns))
})

test('a key finds only what its scopes and its reader may see, and nothing of another tenant', async () => {
  const { call } = await server.tenant()
  const other = await server.tenant()
  await call('POST', put, { content: 'tea for all' })
  await call('POST', put, { content: 'tea for bo', readers: ['bo'] })
  const key = async (draft: object) => server.as((await call('POST', '/v1/host/colophon/keys', draft)).body.key)
  const ana = await key({ name: 'ana', scopes: ['memory:read'], reader: 'ana' })
  const answer = await ana('POST', path, { query: 'tea' })
  assert.deepEqual(
    answer.body.memories.map(({ content }: Found) => content),
    ['tea for all'],
  )
  assert.deepEqual([answer.body.runs, answer.body.sources], [undefined, undefined])
  const refused = await ana('POST', path, { query: 'tea', kinds: ['runs'] })
  assert.deepEqual([refused.status, refused.body.details?.requiredScope], [403, 'runs:read'])
  const wrong = await ana('POST', path, { query: 'tea', cursor: 'x' })
  assert.deepEqual([wrong.status, wrong.body.error], [400, 'validation_error'])
  const theirs = (await other.call('POST', path, { query: 'tea' })).body
  assert.deepEqual([theirs.memories, theirs.refs], [[], []])
})

test('an entry with a source event has its writer, as trace says, and a plain one has none', async () => {
  const { call } = await server.tenant()
  await addWriter(call, 'desk', 50)
  const sent = { entries: [{ content: 'The train is late.' }], source: { service: 'desk', eventId: 'call-1' } }
  assert.equal((await call('POST', `${put}:batch`, sent)).status, 201)
  await call('POST', put, { content: 'The train is early.' })
  const { body } = await call('POST', path, { query: 'train' })
  const writers = body.memories.map(({ content, writer }: Record<string, unknown>) => [content, writer])
  assert.deepEqual(writers.sort(), [
    ['The train is early.', null],
    ['The train is late.', 'desk'],
  ])
})

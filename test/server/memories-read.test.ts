import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { contents, host, memoriesOf, prepareReading, sources } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`reading memories on ${storage}`, () => {
    const server = useServer({ storage })

    const prepare = () => prepareReading(server)

    test('a memory has its category, its source service and its key', async () => {
      const { ingest, winner, call } = await prepare()
      const scope = { session_id: 'sess_xyz', channel: 'web' }
      const evidence = [{ source_type: 'conversation', reference: 'conv_1', content_hash: 'sha256:abc' }]
      const added = await ingest('ada', 'dark mode', {
        eventId: 'evt_ab12',
        observedAt: '2026-06-11T11:55:00.5+02:00',
        confidence: 0.8,
        source: { scope, evidence },
        body: { agent_id: 'agent-7' },
      })
      const memory = await winner('ada')
      const { id, created_at, updated_at, provenance, attribution, ...rest } = memory
      assert.deepEqual(rest, {
        memory_ref: 'subject:ada',
        content: 'dark mode',
        category: 'preference',
        importance_score: 5,
        confidence_score: 0.8,
        claim_key: 'ui.theme',
        status: 'active',
        version: 1,
        sources: 1,
        writers: 1,
        tags: ['source:service:chat'],
        observed_at: '2026-06-11T09:55:00.500Z',
        source_event_id: 'evt_ab12',
        trust: 'agent',
      })
      assert.deepEqual([provenance.received_at, created_at], [added.timestamp, updated_at])
      assert.match(provenance.payload_hash, /^sha256:[0-9a-f]{64}$/)
      const { received_at: _received, payload_hash: _hash, ...named } = provenance
      assert.deepEqual(named, {
        service: 'chat',
        event_id: 'evt_ab12',
        observed_at: '2026-06-11T09:55:00.500Z',
        scope,
        evidence,
      })
      assert.equal(attribution.agent_id, 'agent-7')
      assert.match(attribution.api_key_id, /^key_/)
      assert.deepEqual((await call('GET', `/v1/memories/${id}`)).body, memory)
      assert.deepEqual((await call('GET', `/v1/memories/${id}/sources`)).body, {
        data: [{ ...provenance, api_key_id: attribution.api_key_id }],
      })
    })

    test('a memory without a source has no provenance; equal messages without a claim stay separate', async () => {
      const { ingest, list, call } = await prepare()
      await ingest('ada', 'said twice', { service: null, claim: null })
      await ingest('ada', 'said twice', { service: null, claim: null })
      const found = await list('ada')
      assert.deepEqual(contents(found), ['said twice', 'said twice'])
      for (const { provenance, source_event_id, tags, sources, id } of found) {
        assert.deepEqual([provenance, source_event_id, tags, sources], [null, null, ['source:api'], 1])
        assert.deepEqual((await call('GET', `/v1/memories/${id}/sources`)).body, { data: [] })
      }
    })

    test('equal contents confirm each other; all sources are listed', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'Dark mode.', { confidence: 0.5, eventId: 'one' })
      const memory = await winner('ada')
      await ingest('ada', ' dark  MODE', { confidence: 0.6, eventId: 'two' })
      await ingest('ada', 'dark mode', { service: 'crm', confidence: 0.5, eventId: 'three' })
      const twice = await winner('ada')
      assert.deepEqual(
        [twice.sources, twice.writers, twice.confidence_score, twice.source_event_id],
        [3, 2, 0.8, 'three'],
      )
      await ingest('ada', 'dark mode', { service: null, confidence: 0.5 })
      await ingest('ada', 'dark mode', { service: null, confidence: 0.4 })
      const surer = await winner('ada')
      assert.deepEqual(
        [surer.sources, surer.writers, surer.confidence_score, surer.source_event_id],
        [5, 3, 0.9, 'three'],
      )
      assert.deepEqual([surer.id, surer.version], [memory.id, 1], 'a confirmation is no new version')
      const { data } = (await call('GET', `/v1/memories/${memory.id}/sources`)).body
      assert.deepEqual(data.map(({ event_id }: { event_id: string }) => event_id).sort(), ['one', 'three', 'two'])
    })

    test('a weak reading of what a person said waits until a second writer states it, and its job says so', async () => {
      const { call, list, claim, add, done } = await prepare()
      const hear = async (service: string, event_id: string) => {
        const messages = [{ role: 'user', content: 'I think I like opera' }]
        const answer = await add({ external_user_id: 'ada', messages, source: { service, event_id } })
        return done(answer.body.job_id)
      }
      for (const eventId of ['one', 'two']) {
        const { memories_created, decided, why } = await hear('chat', eventId)
        assert.deepEqual([memories_created, await list('ada')], [0, []], 'one writer is one, however often')
        const [{ outcome, memory_id }, ...others] = decided
        assert.deepEqual([outcome, memory_id, others], ['buffered', null, []])
        assert.match(why, /second writer/)
      }
      assert.deepEqual([(await claim('ada')).status, (await claim('ada')).contents[0].status], ['open', 'buffered'])
      const third = await hear('crm', 'three')
      const [memory] = await list('ada')
      assert.deepEqual([third.memories_created, third.decided[0].memory_id, memory.writers], [1, memory.id, 2])
      const { data } = (await call('GET', `/v1/memories/${memory.id}/sources`)).body
      assert.deepEqual(data.map(({ event_id }: { event_id: string }) => event_id).sort(), ['one', 'three', 'two'])
    })

    test('a statement with a claim is a statement of its writer at any confidence: authority decides, not the threshold for readings', async () => {
      const { call, winner, ingest, writer } = await prepare()
      await writer('desk', 90)
      await writer('bot', 10)
      await ingest('ada', 'dark mode', { service: 'bot', confidence: 0.9 })
      const { job } = await ingest('ada', 'light mode', { service: 'desk', confidence: 0.1 })
      const [{ outcome }] = job.decided
      assert.deepEqual([(await winner('ada')).content, outcome, job.memories_created], ['light mode', 'current', 1])
      const { claims } = (await call('GET', `${host}/claims?subject=ada`)).body
      assert.deepEqual(
        claims[0].contents.map(({ status }: { status: string }) => status),
        ['active', 'superseded'],
      )
    })

    test('a message that is stored verbatim without a claim is kept, whatever its confidence', async () => {
      const { ingest, list } = await prepare()
      const { job } = await ingest('ada', 'perhaps so', { claim: null, confidence: 0.5 })
      assert.deepEqual([contents(await list('ada')), job.memories_created], [['perhaps so'], 1])
    })

    test('lists are filtered by category, agent and status', async () => {
      const { ingest, list, all } = await prepare()
      const about = (category: string, agent_id: string | null) => ({ category, claim: null, body: { agent_id } })
      await ingest('ada', 'a fact', about('fact', 'one'))
      await ingest('ada', 'a goal', about('goal', 'two'))
      await ingest('ada', 'a skill', about('expertise', null))
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      await ingest('bob', 'of somebody else')
      assert.deepEqual(contents(await list('ada')), ['light mode', 'a skill', 'a goal', 'a fact'])
      assert.deepEqual(contents(await list('ada', { categories: 'fact,goal' })), ['a goal', 'a fact'])
      assert.deepEqual(contents(await list('ada', { categories: 'relationship' })), [])
      assert.deepEqual(contents(await list('ada', { agent_id: 'one' })), ['a fact'])
      assert.deepEqual(contents(await list('ada', { agent_id: 'one', categories: 'goal' })), [])
      assert.deepEqual(contents(await list('ada', { include_superseded: 'false' })), contents(await list('ada')))
      assert.deepEqual(contents(await all('ada')), ['light mode', 'dark mode', 'a skill', 'a goal', 'a fact'])
      const shown = await list('ada', { include_superseded: 'true', categories: 'preference' })
      assert.deepEqual(
        shown.map(({ status }: { status: string }) => status),
        ['active', 'superseded'],
      )
      assert.deepEqual(await list('nobody'), [])
      const other = memoriesOf((await server.tenant()).call)
      assert.deepEqual(await other.all('ada'), [])
    })

    test('a list as of a position or an instant shows the memories of that time', async () => {
      const { ingest, list, call, winner, position } = await prepare()
      const lists: [string, string[]][] = [[String(await position()), []]]
      const note = async () => lists.push([String(await position()), contents(await list('ada'))])
      await ingest('ada', 'dark mode')
      await note()
      await ingest('ada', 'light mode', { service: 'crm' })
      await note()
      const between = (await call('GET', `/v1/memories?external_user_id=ada`)).body.data[0].created_at
      await call('PATCH', `/v1/memories/${(await winner('ada')).id}`, { content: 'edited', reason: 'It was wrong.' })
      await note()
      await call('DELETE', `/v1/memories/${(await winner('ada')).id}`)
      await note()
      await ingest('ada', 'no mode', { service: 'crm', observedAt: '2026-01-02T00:00:00Z' })
      await note()
      for (const [asOf, expected] of lists)
        assert.deepEqual(contents(await list('ada', { as_of: asOf })), expected, asOf)
      assert.deepEqual(contents(await list('ada', { as_of: between })), ['light mode'])
      assert.deepEqual(await list('ada', { as_of: '2020-01-01T00:00:00Z' }), [])
      assert.deepEqual(contents(await list('ada', { as_of: '2999-01-01T00:00:00Z' })), ['no mode'])
      const then = await list('ada', { as_of: lists[1]?.[0] ?? '', include_superseded: 'true' })
      assert.deepEqual(
        then.map(({ status }: { status: string }) => status),
        ['active'],
        'it was not superseded yet',
      )
    })

    test('one memory as of a moment: its content, its status, its story and its decision of that time', async () => {
      const { ingest, call, winner, position } = await prepare()
      await ingest('ada', 'dark mode')
      const dark = await winner('ada')
      const alone = await position()
      await ingest('ada', 'light mode', { service: 'crm' })
      const light = await winner('ada')
      const outranked = await position()
      const pin = { content: 'no mode', reason: 'She called.' }
      assert.equal((await call('PATCH', `/v1/memories/${light.id}`, pin)).status, 200)
      const pinned = await position()
      const get = async (id: string, asOf: number | string) =>
        (await call('GET', `/v1/memories/${id}?as_of=${encodeURIComponent(asOf)}`)).body
      const colophon = async (id: string, asOf: number) =>
        (await call('GET', `${host}/memory/subject%3Aada/entries/${id}/colophon?asOf=${asOf}`)).body
      assert.deepEqual(
        [await get(dark.id, alone), await get(dark.id, outranked), await get(light.id, pinned)].map(
          ({ content, status, sources }) => [content, status, sources],
        ),
        [
          ['dark mode', 'active', 1],
          ['dark mode', 'superseded', 1],
          ['light mode', 'superseded', 1],
        ],
      )
      assert.equal((await get(light.id, outranked)).status, 'active')
      assert.equal((await get(dark.id, light.created_at)).status, 'superseded', 'an instant names a moment too')
      assert.equal((await call('GET', `/v1/memories/${light.id}?as_of=${alone}`)).status, 404, 'it came later')
      assert.equal((await call('GET', `/v1/memories/${light.id}?as_of=${pinned + 100}`)).status, 422)
      const moment = async (asOf: number | string) =>
        (await call('GET', `${host}/moment?asOf=${encodeURIComponent(asOf)}`)).body
      const early = await moment(alone)
      assert.deepEqual([early.position, early.isNow, early.newest.position], [alone, false, pinned])
      assert.deepEqual(
        [(await moment(light.created_at)).position, (await moment(light.created_at)).at],
        [outranked, light.created_at],
      )
      assert.equal((await call('GET', `${host}/moment`)).body.isNow, true)
      assert.equal((await call('GET', `${host}/moment?asOf=yesterday`)).status, 400)
      assert.equal(
        (await colophon(dark.id, alone)).headline,
        'Current because chat stated it, and no other content is known.',
      )
      const then = await colophon(light.id, outranked)
      assert.equal(then.headline, 'Current because crm (80) outranked chat (50).')
      assert.deepEqual(
        then.resolution.losers.map(({ content, source }: Record<string, string>) => [content, source]),
        [['dark mode', 'chat']],
      )
      assert.ok(then.story.every(({ position: at }: { position: number }) => at <= outranked))
      assert.equal((await colophon(dark.id, outranked)).headline, 'Superseded because crm (80) outranked chat (50).')
      const now = await colophon(light.id, pinned)
      assert.match(now.headline, /^Superseded because key:\S+ pinned another content: She called\.$/)
      assert.equal(now.resolution.rule, 'pin')
    })

    test('pages are consistent while the store changes', async () => {
      const { ingest, call } = await prepare()
      for (let n = 0; n < 12; n++)
        await ingest('ada', `note ${n}`, { claim: `claim-${n % 9}`, category: n % 4 ? 'fact' : 'goal' })
      for (const query of ['', '&include_superseded=true', '&categories=fact']) {
        const path = `/v1/memories?external_user_id=ada${query}`
        const whole = (await call('GET', `${path}&limit=50`)).body
        assert.equal(whole.cursor, undefined)
        const seen: unknown[] = []
        for (let cursor = ''; ; ) {
          const page = (await call('GET', `${path}&limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).body
          assert.ok(page.data.length <= 3)
          seen.push(...page.data)
          await ingest('ada', `meanwhile ${seen.length}${query}`, {
            claim: 'claim-1',
            service: 'crm',
            category: 'fact',
          })
          cursor = page.cursor ?? ''
          if (cursor === '') break
        }
        assert.deepEqual(
          seen.map((memory) => (memory as { id: string }).id),
          whole.data.map(({ id }: { id: string }) => id),
          query,
        )
      }
    })

    test('the author of a message is its name member, and the hash covers what was sent', async () => {
      const { call, add, done, list, retrieve } = await prepare()
      const messages = [
        { role: 'user', name: 'Ana', content: 'I moved to Lisbon.' },
        { role: 'user', name: 'Ben', content: 'I moved to Oslo.' },
        { role: 'user', name: 'Ben', content: 'Ben: I like herring.' },
      ]
      const source = { service: 'chat', event_id: 'named' }
      const { body } = await add({ external_user_id: 'talk', infer: false, messages, source })
      await done(body.job_id)
      const texts = ['Ana: I moved to Lisbon.', 'Ben: I moved to Oslo.', 'Ben: I like herring.']
      assert.deepEqual(contents(await list('talk')).sort(), [...texts].sort())
      for (const [name, text] of [
        ['Ana', texts[0]],
        ['Ben', texts[1]],
      ] as const) {
        const { data } = await retrieve({ external_user_id: 'talk', query: `Where did ${name} move?` })
        assert.equal(data[0].content, text)
      }
      const [event] = (await call('GET', sources)).body.data
      const proof = await call('POST', `${sources}/${event.id}:verify`, { messages })
      assert.equal(proof.body.matches, true, proof.text)
      for (const name of ['', 7, 'x'.repeat(129), 'a\nb']) {
        const refused = await add({ external_user_id: 'talk', infer: false, messages: [{ ...messages[0], name }] })
        assert.equal(refused.status, 422, refused.text)
      }
    })
  })
}

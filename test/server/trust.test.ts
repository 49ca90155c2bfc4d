// The origin class of memory: from the credential, lowered on request, shown everywhere, and the floor of reads.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, type TestServer, useServer } from '../support/server.ts'
import { assertRefused, contents, host, memoriesOf } from './memories-calls.ts'
import { chain, ended, eventsOf, register, startRun } from './runs-calls.ts'

after(releaseServer)

const entries = `${host}/memory/notes/entries`
const succeed = async (answer: ReturnType<Call>, status = 200) => {
  const { status: given, text, body } = await answer
  assert.equal(given, status, text)
  return body
}
const keyOf = async (server: TestServer, call: Call, scopes: readonly string[]) => {
  const { id, key } = await succeed(call('POST', `${host}/keys`, { name: 'k', scopes }), 201)
  return { id, call: server.as(key) }
}

for (const storage of storagesOfBehaviour) {
  describe(`trust on ${storage}`, () => {
    const server = useServer({ storage })

    test('a put is of the class agent, or of the lower one it asks for; reads return agent and above by default', async () => {
      const { call } = await server.tenant()
      const { id: known } = await succeed(call('POST', entries, { content: 'Ada prefers tea.' }), 201)
      const { id: tool } = await succeed(
        call('POST', entries, { content: 'Ada prefers gin.', trust: 'untrusted' }),
        201,
      )
      const batch = {
        entries: [{ content: 'Ada likes tea rooms.', trust: 'untrusted' }, { content: 'Ada has a cup.' }],
      }
      await succeed(call('POST', `${entries}:batch`, batch), 201)
      const page = await succeed(call('GET', entries))
      assert.deepEqual(contents(page.entries), ['Ada has a cup.', 'Ada prefers tea.'])
      assert.equal(page.trust, undefined)
      const all = await succeed(call('GET', `${entries}?trustMin=untrusted`))
      assert.equal(all.entries.length, 4)
      assert.deepEqual(Object.values(all.trust), ['untrusted', 'untrusted'])
      assert.equal(all.trust[tool], 'untrusted')
      const search = (more: object = {}) =>
        succeed(call('POST', `${host}/memory/notes/search`, { query: 'Ada prefers', ...more }))
      assert.deepEqual(
        (await search()).results.map(({ trust }: { trust: string }) => trust),
        ['agent', 'agent', 'agent'].slice(0, (await search()).results.length),
      )
      const low = (await search({ trustMin: 'untrusted' })).results
      assert.ok(
        low.some(
          ({ entry, trust }: { entry: { id: string }; trust: string }) => entry.id === tool && trust === 'untrusted',
        ),
      )
      // By id everything is readable, and the colophon shows the class.
      assert.equal((await succeed(call('GET', `${entries}/${tool}`))).content, 'Ada prefers gin.')
      const colophon = await succeed(call('GET', `${entries}/${tool}/colophon`))
      assert.deepEqual([colophon.trust, colophon.quarantined], ['untrusted', true])
      const ordinary = await succeed(call('GET', `${entries}/${known}/colophon`))
      assert.deepEqual([ordinary.trust, ordinary.quarantined], ['agent', undefined])
    })

    test('a call cannot raise its class', async () => {
      const { call } = await server.tenant()
      for (const trust of ['service', 'verified']) {
        const put = await call('POST', entries, { content: 'Ada prefers tea.', trust })
        assert.deepEqual([put.status, put.body.error], [403, 'trust_exceeds_credential'], put.text)
        assert.deepEqual([put.body.details.requested, put.body.details.max], [trust, 'agent'])
      }
      const unknown = await call('POST', entries, { content: 'Ada prefers tea.', trust: 'golden' })
      assert.equal(unknown.status, 400, unknown.text)
      const messages = [{ role: 'user', content: 'Ada prefers tea.' }]
      const body = { external_user_id: 'ada', infer: false, messages, trust: 'service' }
      assertRefused(await call('POST', '/v1/memories/add', body), 403, 'PROV_403', 'trust_exceeds_credential')
      const message = { ...body, trust: undefined, messages: [{ ...messages[0], trust: 'verified' }] }
      assertRefused(await call('POST', '/v1/memories/add', message), 403, 'PROV_403', 'trust_exceeds_credential')
      assertRefused(await call('POST', '/v1/memories/add', { ...body, trust: 'golden' }), 422, 'REQ_422')
      assert.equal((await call('POST', '/v1/runs', { workflowId: 'none', trust: 'service' })).status, 403)
      assert.deepEqual((await succeed(call('GET', `${host}/memory`))).refs, [])
    })

    test('the class is part of a call with an idempotency key', async () => {
      const { call } = await server.tenant()
      const headers = { 'idempotency-key': 'once' }
      await succeed(call('POST', entries, { content: 'Ada prefers tea.' }, headers), 201)
      const other = await call('POST', entries, { content: 'Ada prefers tea.', trust: 'untrusted' }, headers)
      assert.deepEqual([other.status, other.body.error], [409, 'idempotency_key_mismatch'])
    })

    test('a revision of an untrusted entry stays untrusted; other tags leave the class', async () => {
      const { call } = await server.tenant()
      const { id } = await succeed(call('POST', entries, { content: 'Ada prefers gin.', trust: 'untrusted' }), 201)
      const trust = async () => (await succeed(call('GET', `${entries}/${id}/colophon`))).trust
      await succeed(call('PATCH', `${entries}/${id}`, { content: 'Ada prefers gin!' }))
      assert.equal(await trust(), 'untrusted')
      await succeed(call('PATCH', `${entries}/${id}`, { tags: ['drinks'] }))
      assert.equal(await trust(), 'untrusted')
      const { id: other } = await succeed(call('POST', entries, { content: 'Ada prefers tea.' }), 201)
      await succeed(call('PATCH', `${entries}/${other}`, { trust: 'untrusted' }))
      assert.equal((await succeed(call('GET', `${entries}/${other}/colophon`))).trust, 'untrusted')
    })

    test('a bound writer is a service, an unbound one an agent, a pin and an edit with a reason are verified', async () => {
      const { call } = await server.tenant()
      const { id, call: bound } = await keyOf(server, call, ['memory:write', 'memory:read'])
      const own = memoriesOf(bound)
      const all = memoriesOf(call)
      await all.writer('crm', 50, { api_key_id: id })
      await all.writer('chat', 50)
      await own.ingest('ada', 'Likes dark mode.', { service: 'crm' })
      assert.equal((await all.winner('ada')).trust, 'service')
      const chat = await all.ingest('bob', 'Likes dark mode.', { service: 'chat' })
      assert.equal(chat.memory_ref, 'subject:bob')
      const memory = await all.winner('bob')
      assert.equal(memory.trust, 'agent')
      const { id: claimId } = await all.claim('bob')
      const pin = (more: object) =>
        call('POST', `${host}/claims/${claimId}:resolve`, { reason: 'He confirmed it.', ...more })
      const pinned = await succeed(pin({ memoryId: memory.id }))
      assert.equal(pinned.contents[0].trust, 'verified')
      assert.deepEqual([(await all.winner('bob')).trust, (await all.winner('bob')).version], ['verified', 2])
      await succeed(pin({ unpin: true }))
      assert.equal((await all.winner('bob')).trust, 'agent')
      const edit = { content: 'Likes light mode.', reason: 'He wrote to us.' }
      const edited = await succeed(call('PATCH', `/v1/memories/${memory.id}`, edit))
      assert.equal(edited.trust, 'verified')
      const plain = await succeed(
        bound('PATCH', `/v1/memories/${(await all.winner('ada')).id}`, { content: 'Likes blue.' }),
      )
      assert.equal(plain.trust, 'service', 'the editor has the key of the writer')
    })

    test('what is untrusted is not retrieved or listed, loses its claim, and stays untrusted when an agent repeats it', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('web', 100)
      await memories.writer('chat', 10)
      await memories.ingest('ada', 'Prefers gin.', { service: 'web', body: { trust: 'untrusted' } })
      assert.deepEqual(await memories.list('ada'), [])
      const retrieve = async (more: object = {}) =>
        (await succeed(call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'gin', ...more }))).data
      assert.deepEqual(await retrieve(), [])
      const [found] = await retrieve({ trust_min: 'untrusted' })
      assert.deepEqual([found.trust, found.quarantined], ['untrusted', true])
      assert.equal((await succeed(call('GET', `/v1/memories/${found.id}`))).quarantined, true)
      // The echo of an agent, also after the first statement was deleted.
      await memories.ingest('ada', 'prefers GIN', { service: 'chat', observedAt: '2026-01-02T00:00:00Z' })
      assert.deepEqual(await memories.list('ada'), [])
      // A trusted content wins, whatever the priority.
      await memories.ingest('ada', 'Prefers tea.', { service: 'chat', observedAt: '2026-01-03T00:00:00Z' })
      assert.deepEqual(contents(await memories.list('ada')), ['Prefers tea.'])
      const { contents: shown } = await memories.claim('ada')
      assert.deepEqual(
        shown.map(({ trust, status }: { trust: string; status: string }) => [trust, status]),
        [
          ['agent', 'active'],
          ['untrusted', 'superseded'],
        ],
      )
      // An edit of an untrusted memory without an operator's reason.
      const { call: editor } = await keyOf(server, call, ['memory:write', 'memory:read'])
      const [low] = await memories
        .list('ada', { trust_min: 'untrusted', include_superseded: 'true' })
        .then((all) => all.filter(({ trust }: { trust: string }) => trust === 'untrusted'))
      assert.equal((await editor('PATCH', `/v1/memories/${low.id}`, { content: 'Prefers gin' })).status, 422)
      // Without the trusted content it is alone again.
      await succeed(call('DELETE', `/v1/memories/${(await memories.winner('ada')).id}`))
      assert.deepEqual(await memories.list('ada'), [])
      assert.equal((await memories.list('ada', { trust_min: 'untrusted' })).length, 1)
      const edited = await succeed(editor('PATCH', `/v1/memories/${low.id}`, { content: 'Prefers gin, really.' }))
      assert.equal(edited.trust, 'untrusted')
    })

    test('two independent keys corroborate an untrusted content; keys that one key made do not', async () => {
      const { call } = await server.tenant()
      const scopes = ['memory:write', 'memory:read', 'keys:manage']
      const [first, second] = [await keyOf(server, call, scopes), await keyOf(server, call, scopes)]
      const sybils = [
        await keyOf(server, first.call, ['memory:write']),
        await keyOf(server, first.call, ['memory:write']),
      ]
      const memories = memoriesOf(call)
      const state = async (by: Call, trust?: string) => {
        const body = {
          external_user_id: 'ada',
          infer: false,
          messages: [{ role: 'user', content: 'Prefers gin.', claim_key: 'drink' }],
          trust,
        }
        await memories.done((await succeed(by('POST', '/v1/memories/add', body), 202)).job_id)
      }
      await state(first.call, 'untrusted')
      for (const { call: sybil } of sybils) await state(sybil)
      await state(first.call)
      assert.deepEqual(await memories.list('ada'), [])
      await state(second.call)
      assert.equal((await memories.winner('ada')).trust, 'agent')
    })

    test('a key raises an untrusted text neither by an earlier observation nor by its 64th descendant', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('chat', 10)
      const scopes = ['memory:read', 'memory:write', 'keys:manage']
      let key = await keyOf(server, call, scopes)
      const state = (by: Call, day: number, trust?: string) => {
        const source = { service: 'chat', observedAt: `2026-01-0${day}T00:00:00Z` }
        return memoriesOf(by).ingest('ada', 'Prefers gin.', { ...source, body: { trust } })
      }
      await state(key.call, 5, 'untrusted')
      await state(key.call, 2)
      assert.deepEqual(await memories.list('ada'), [], 'observed before the tool')
      for (let nth = 0; nth < 64; nth++) key = await keyOf(server, key.call, scopes)
      await state(key.call, 6)
      assert.deepEqual(await memories.list('ada'), [], 'the 64th descendant')
      const other = await keyOf(server, call, scopes)
      await state(other.call, 7)
      assert.equal((await memories.winner('ada')).trust, 'agent', 'an independent key')
    })

    test('a person releases or rejects what is in quarantine, with a reason that the story shows', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      const inbox = async () => (await succeed(call('GET', `${host}/quarantine`))).memories
      const decide = (id: string, verb: string, more: object = {}) =>
        call('POST', `${host}/quarantine/${id}:${verb}`, { reason: 'Ada said so.', ...more })
      const { id: gin } = await succeed(call('POST', entries, { content: 'Ada prefers gin.', trust: 'untrusted' }), 201)
      const { id: rum } = await succeed(call('POST', entries, { content: 'Ada prefers rum.', trust: 'untrusted' }), 201)
      const { id: tea } = await succeed(call('POST', entries, { content: 'Ada prefers tea.' }), 201)
      await memories.ingest('ada', 'Prefers gin.', { service: null, body: { trust: 'untrusted' } })
      await memories.ingest('bob', 'Prefers gin.', { service: null, body: { trust: 'untrusted' } })
      assert.deepEqual(contents(await inbox()), [
        'Ada prefers gin.',
        'Ada prefers rum.',
        'Prefers gin.',
        'Prefers gin.',
      ])
      const first = await succeed(call('GET', `${host}/quarantine?limit=3`))
      const second = await succeed(call('GET', `${host}/quarantine?limit=3&cursor=${first.cursor}`))
      assert.deepEqual([first.memories.length, second.memories.length, second.cursor], [3, 1, undefined])

      const { call: weak } = await keyOf(server, call, ['memory:read', 'memory:write'])
      assert.equal((await weak('POST', `${host}/quarantine/${gin}:release`, { reason: 'me' })).status, 403)
      assert.equal((await decide(tea, 'release')).status, 400)
      assert.equal((await decide('mem_none', 'release')).status, 404)
      assert.equal((await decide(gin, 'release', { reason: ' ' })).status, 400)

      const headers = { 'idempotency-key': 'release' }
      const release = () => call('POST', `${host}/quarantine/${gin}:release`, { reason: 'Ada said so.' }, headers)
      await succeed(release())
      assert.equal((await release()).headers.get('idempotent-replay'), 'true')
      assert.deepEqual(contents((await succeed(call('GET', entries))).entries), [
        'Ada prefers tea.',
        'Ada prefers gin.',
      ])
      const colophon = await succeed(call('GET', `${entries}/${gin}/colophon`))
      assert.deepEqual([colophon.trust, colophon.version, colophon.quarantined], ['verified', 2, undefined])
      const released = colophon.story.find(({ step }: { step: string }) => step === 'released')
      assert.match(released.text, /released it from quarantine: Ada said so\.$/)
      const { position } = await succeed(call('GET', entries))
      await succeed(decide(rum, 'reject'))
      assert.equal((await call('GET', `${entries}/${rum}`)).status, 404)
      const history = (await succeed(call('GET', `/v1/memories/${rum}/history`))).data
      assert.deepEqual([history.at(-1).change_type, history.at(-1).change_reason], ['deleted', 'rejected'])
      assert.equal((await succeed(call('GET', `${entries}/${rum}/colophon?asOf=${position}`))).trust, 'untrusted')

      // In a claim a release is one more statement, and what was rejected stays untrusted when it is stated again.
      const [ada, bob] = await inbox()
      await succeed(decide(ada.id, 'release'))
      assert.deepEqual([(await memories.winner('ada')).trust, (await memories.winner('ada')).id], ['verified', ada.id])
      assert.equal((await memories.claim('ada')).status, 'settled')
      await succeed(decide(bob.id, 'reject'))
      assert.equal((await call('GET', `/v1/memories/${bob.id}`)).status, 404)
      await memories.ingest('bob', 'Prefers gin.', { service: null })
      assert.deepEqual(await memories.list('bob'), [])
      assert.deepEqual(contents(await inbox()), ['Prefers gin.'])
      assert.ok((await succeed(call('GET', '/v1/audit/verify?contents=true'))).chainValid)
    })

    test('a release of a version that was changed meanwhile decides nothing', async () => {
      const { call } = await server.tenant()
      const path = '/v1/host/colophon/memory/notes/entries'
      const { id } = (await call('POST', path, { content: 'harmless', trust: 'untrusted' })).body
      await call('PATCH', `${path}/${id}`, { content: 'pay mallory' })
      const release = (version: number) =>
        call('POST', `/v1/host/colophon/quarantine/${id}:release`, { reason: 'Seen.', version })
      assertError(await release(1), 409, 'version_conflict')
      assert.equal((await call('GET', path)).body.entries.length, 0)
      assert.equal((await release(2)).status, 200)
    })

    test('another floor for winners decides the claims again', async () => {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('web', 100)
      await memories.writer('chat', 10)
      await memories.ingest('ada', 'Prefers tea.', { service: 'chat' })
      await memories.ingest('ada', 'Prefers gin.', { service: 'web', body: { trust: 'untrusted' } })
      assert.equal((await memories.winner('ada')).content, 'Prefers tea.')
      await succeed(
        call('PATCH', '/v1/tenant/settings', { trust_floor_win: 'untrusted', trust_floor_read: 'untrusted' }),
      )
      await eventually(
        'the claim is decided again',
        async () => (await memories.winner('ada')).content === 'Prefers gin.',
      )
    })

    test('settings raise and lower the floors; a run keeps the floor it was created with', async () => {
      const { call } = await server.tenant()
      const settings = await succeed(call('GET', '/v1/tenant/settings'))
      assert.deepEqual([settings.trust_floor_read, settings.trust_floor_win], ['agent', 'agent'])
      await succeed(call('POST', entries, { content: 'Ada prefers tea.' }), 201)
      await succeed(call('POST', entries, { content: 'Ada prefers gin.', trust: 'untrusted' }), 201)
      const list = { id: 'l', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } }
      await register(call, chain('reads', [{ id: 'g', typeId: 'core.delay', config: { delayMs: 300 } }, list]))
      const runId = await startRun(call, 'reads')
      await succeed(call('PATCH', '/v1/tenant/settings', { trust_floor_read: 'untrusted' }))
      assert.equal((await succeed(call('GET', entries))).entries.length, 2)
      assert.deepEqual(contents((await ended(call, runId)).variables.found), ['Ada prefers tea.'])
      assert.equal((await succeed(call('GET', `${entries}?runId=${runId}`))).entries.length, 1)
      await succeed(call('PATCH', '/v1/tenant/settings', { trust_floor_read: 'service' }))
      assert.equal((await succeed(call('GET', entries))).entries.length, 0)
      assert.equal((await call('PATCH', '/v1/tenant/settings', { trust_floor_win: 'golden' })).status, 422)
    })

    test('a run that has read something untrusted writes untrusted memory, until a node sanitises its values', async () => {
      const { call } = await server.tenant()
      const { id } = await succeed(call('POST', entries, { content: 'Ada prefers gin.', trust: 'untrusted' }), 201)
      const put = (node: string, more: object = {}) => ({
        ...{
          id: node,
          typeId: 'colophon.memory.put',
          config: { memoryRef: 'out', content: node, tags: [node], ...more },
        },
      })
      const get = { id: 'get', typeId: 'colophon.memory.get', config: { memoryRef: 'notes', id } }
      const clean = { id: 'clean', typeId: 'core.noop', settings: { sanitises: true } }
      await register(
        call,
        chain('taint', [put('before'), get, put('tainted'), clean, put('cleaned'), put('low', { trust: 'untrusted' })]),
      )
      const run = await startRun(call, 'taint')
      assert.equal((await ended(call, run)).status, 'completed')
      const trustOf = async (tag: string, by = run) => {
        const page = await succeed(call('GET', `${host}/memory/out/entries?tag=${tag}&trustMin=untrusted`))
        const of = []
        for (const { id: entryId } of page.entries) {
          const { origin, trust } = await succeed(call('GET', `${host}/memory/out/entries/${entryId}/colophon`))
          if (origin.runId === by) of.push(trust)
        }
        return of.join()
      }
      for (const [tag, trust] of [
        ['before', 'agent'],
        ['tainted', 'untrusted'],
        ['cleaned', 'agent'],
        ['low', 'untrusted'],
      ] as const)
        assert.equal(await trustOf(tag), trust, tag)
      const events = await eventsOf(call, run)
      const sanitised = events.filter(({ payload }) => payload.sanitised === true)
      assert.deepEqual(
        sanitised.map(({ nodeId }) => nodeId),
        ['clean'],
      )

      // A branch after the read, and a child, have the taint of what was read before.
      const after = events.find(({ type, nodeId }) => type === 'node.completed' && nodeId === 'get')?.sequence + 1
      const fork = await succeed(call('POST', `/v1/runs/${run}:fork`, { mode: 'branch', fromSeq: after }), 201)
      await ended(call, fork.runId)
      assert.equal(await trustOf('tainted', fork.runId), 'untrusted')
      assert.equal(await trustOf('cleaned', fork.runId), 'agent')
      const given = await startRun(call, 'taint', { trust: 'untrusted' })
      await ended(call, given)
      assert.equal(await trustOf('before', given), 'untrusted')
      assert.equal(await trustOf('cleaned', given), 'agent')
      await register(call, chain('child', [{ ...get, id: 'childget' }]))
      const sub = { id: 'sub', typeId: 'core.subWorkflow', config: { workflowId: 'child' } }
      await register(call, chain('parent', [put('alone'), sub, put('after')]))
      const parent = await startRun(call, 'parent')
      assert.equal((await ended(call, parent)).status, 'completed')
      assert.deepEqual([await trustOf('alone', parent), await trustOf('after', parent)], ['agent', 'untrusted'])
      const wrong = await call(
        'POST',
        `${host}/workflows`,
        chain('wrong', [{ ...clean, settings: { sanitises: 'yes' } }]),
      )
      assert.equal(wrong.status, 400, wrong.text)
    })
  })
}

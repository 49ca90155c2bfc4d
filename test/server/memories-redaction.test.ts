import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { holds, plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import {
  type Call,
  createHome,
  type Home,
  startServer,
  storagesOfBehaviour,
  type TestServer,
} from '../support/server.ts'
import { addBody, assertRefused, host, memoriesOf, sources, writers } from './memories-calls.ts'

after(releaseServer)

/** A secret that a pattern knows, whatever is in the vault. */
const patternSecret = () => `sk-${plainSecretValue().padEnd(24, 'Zx9Q')}`

for (const storage of storagesOfBehaviour) {
  describe(`secrets in added messages, on ${storage}`, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home, env: { COLOPHON_LOG_LEVEL: 'trace' } })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    async function prepare() {
      const tenant = await server.tenant()
      const memories = memoriesOf(tenant.call)
      await memories.writer('chat', 50)
      const value = plainSecretValue()
      assert.equal((await tenant.call('PUT', `${host}/secrets/planted`, { value })).status, 204)
      return { ...memories, ...tenant, value }
    }

    /** Nothing of it is in any answer or in the files and tables of the store. */
    async function assertNowhere(value: string, texts: readonly string[]): Promise<void> {
      for (const text of texts) assert.ok(!holds(text, value), text)
      assert.ok(!holds(server.logs(), value), 'the log holds it')
      const stored = await storedBytes(home)
      assert.ok(!holds(stored, value), 'the store holds it')
    }

    test('the hash of messages that contained a secret is shown to auditors only, on every surface', async () => {
      const { value, ingest, call } = await prepare()
      await ingest('ada', `the door opens with ${value}`, { claim: 'door' })
      await ingest('bob', 'nothing to hide', { claim: 'door' })
      const keyWith = async (...scopes: string[]) =>
        server.as((await call('POST', `${host}/keys`, { name: 'k', scopes })).body.key)
      const reader = await keyWith('memory:read', 'memory:write')
      const auditor = await keyWith('memory:read', 'memory:write', 'audit:read')
      const hashesOf = async (asked: Call, user: string) => {
        const [memory] = (await asked('GET', `/v1/memories?external_user_id=${user}`)).body.data
        const { body: one } = await asked('GET', `/v1/memories/${memory.id}`)
        const { body: sourcesOf } = await asked('GET', `/v1/memories/${memory.id}/sources`)
        const question = { external_user_id: user, query: 'the door, what opens it? nothing to hide' }
        const { body: found } = await asked('POST', '/v1/memories/retrieve', question)
        const { body: colophon } = await asked('GET', `${host}/memory/subject%3A${user}/entries/${memory.id}/colophon`)
        const { body: changed } = await asked('PATCH', `/v1/memories/${memory.id}`, { importance: 5 })
        const { details } = colophon.story.find(({ step }: { step: string }) => step === 'told')
        assert.equal(details.isHashPrivate, undefined)
        return [memory, one, found.data[0], changed]
          .map(({ provenance }) => provenance.payload_hash)
          .concat(sourcesOf.data[0].payload_hash, details.payloadHash, details.provenance.payload_hash)
      }
      assert.deepEqual(new Set(await hashesOf(reader, 'ada')), new Set([null]))
      for (const [asked, user] of [
        [auditor, 'ada'],
        [reader, 'bob'],
      ] as const) {
        const hashes = new Set(await hashesOf(asked, user))
        assert.equal(hashes.size, 1)
        assert.match([...hashes][0], /^sha256:[0-9a-f]{64}$/)
      }
    })

    for (const kind of ['vault', 'pattern'] as const) {
      test(`secrets are never stored: a value of the ${kind}`, async () => {
        const { value: planted, add, done, call, list, claim } = await prepare()
        const value = kind === 'vault' ? planted : patternSecret()
        const body = addBody('ada', `see ${value} here`, {
          source: { scope: { note: value, [value]: 1 }, evidence: [{ reference: `conv ${value}` }] },
          body: { metadata: { deep: [{ note: value }] } },
        })
        const answer = await add(body)
        assert.equal(answer.status, 202, answer.text)
        await done(answer.body.job_id)
        const [memory] = await list('ada')
        assert.match(memory.content, /^see .*\[REDACTED:[^\]]+\] here$/)
        const [event] = (await call('GET', sources)).body.data
        const verified = await call('POST', `${sources}/${event.id}:verify`, { messages: body.messages })
        assert.equal(verified.body.matches, true, 'the hash is over what was sent')
        const again = await add(body)
        assert.deepEqual([again.body, again.headers.get('idempotent-replay')], [answer.body, 'true'])
        const { id } = await claim('ada')
        const pinned = await call('POST', `${host}/claims/${id}:resolve`, {
          memoryId: memory.id,
          reason: `because ${value}`,
        })
        assert.match(pinned.body.pin.reason, /\[REDACTED:/)
        const named = await call('POST', writers, { service_key: 'named', display_name: `of ${value}` })
        assert.equal(named.status, 201)
        const edited = await call('PATCH', `/v1/memories/${memory.id}`, { content: `now ${value}` })
        assert.match(edited.body.content, /^now .*\[REDACTED:/)
        const paths = [
          '/v1/memories?external_user_id=ada&include_superseded=true',
          `/v1/memories/${memory.id}/history`,
          `/v1/memories/${memory.id}/sources`,
          `${sources}/${event.id}`,
          `${host}/claims/${id}`,
          writers,
          `${host}/audit?limit=500`,
          `${host}/jobs?limit=500`,
          `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${memory.id}/colophon`,
        ]
        const texts = await Promise.all(paths.map(async (path) => (await call('GET', path)).text))
        await assertNowhere(value, [...texts, answer.text, pinned.text, edited.text])
      })
    }

    test('the response about a writer shows its name as it is stored', async () => {
      const { value, call } = await prepare()
      const made = await call('POST', writers, { service_key: 'named', display_name: `of ${value}` })
      assert.equal(made.body.display_name, 'of [REDACTED:planted]')
      const changed = await call('PATCH', `${writers}/${made.body.id}`, { display_name: `now of ${value}` })
      assert.equal(changed.body.display_name, 'now of [REDACTED:planted]')
    })

    test('two texts that differ only in a secret are equal statements', async () => {
      const { value, ingest, winner, call } = await prepare()
      await ingest('ada', `key ${value} ok`)
      await call('PUT', `${host}/secrets/planted`, { value: plainSecretValue() })
      await ingest('ada', 'key [REDACTED:planted] ok')
      assert.equal((await winner('ada')).sources, 2)
    })

    test('identifiers that contain a secret are refused, and nothing is stored', async () => {
      const { value, add, state } = await prepare()
      const before = await state()
      for (const secret of [value, patternSecret()]) {
        for (const body of [
          addBody(`user-${secret}`, 'some content'),
          addBody('ada', 'some content', { eventId: `evt-${secret}` }),
          addBody('ada', 'some content', { body: { agent_id: `agent-${secret}` } }),
          addBody('ada', 'some content', { claim: `claim-${secret}` }),
        ]) {
          const answer = await add(body)
          assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`)
          assertRefused(answer, 422, 'REQ_422', 'secret_leakage')
          assert.ok(!holds(answer.text, secret))
        }
      }
      assert.deepEqual(await state(), before)
    })

    test('a tenant that rejects secrets refuses the add, and stores nothing', async () => {
      const { value, add, state, call } = await prepare()
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
      const before = await state()
      for (const secret of [value, patternSecret()]) {
        for (const body of [
          addBody('ada', `see ${secret}`),
          addBody('ada', 'clean', { source: { scope: { note: secret } } }),
          addBody('ada', 'clean', { source: { evidence: [{ note: secret }] } }),
          addBody('ada', 'clean', { body: { metadata: { note: secret } } }),
        ])
          assertRefused(await add(body), 422, 'REQ_422', 'secret_leakage')
      }
      assert.deepEqual(await state(), before)
    })

    test('a value that becomes a secret later is redacted in all stored source events and memories', async () => {
      const { ingest, call, list, claim, all } = await prepare()
      const value = plainSecretValue()
      const options = {
        source: { scope: { note: value }, evidence: [{ note: value }] },
        body: { metadata: { note: value } },
      }
      await ingest('ada', `see ${value} here`, options)
      await ingest('ada', `other than ${value}`, { observedAt: '2026-02-02T00:00:00Z' })
      await ingest('ada', `weak ${value}`, { confidence: 0.5 })
      const named = (await call('POST', writers, { service_key: 'named', display_name: `of ${value}` })).body
      const { id, winner } = await claim('ada')
      await call('POST', `${host}/claims/${id}:resolve`, { memoryId: winner, reason: `because ${value}` })
      await call('PUT', `${host}/secrets/late`, { value })
      const reader = (await call('POST', `${host}/keys`, { name: 'r', scopes: ['memory:read'] })).body.key
      const shownHash = async () =>
        (await server.as(reader)('GET', '/v1/memories?external_user_id=ada')).body.data[0].provenance.payload_hash
      assert.match(await shownHash(), /^sha256:/)
      const { jobId } = (await call('POST', `${host}/redactions`, { dryRun: false })).body
      const job = async () => (await call('GET', `${host}/jobs/${jobId}`)).body
      await eventually('the pass is over', async () => (await job()).status === 'completed')
      assert.equal(await shownHash(), null)
      const left: string[] = []
      const look = (what: string, text: string) => void (holds(text, value) && left.push(what))
      look('memories', JSON.stringify([await list('ada'), await all('ada')]))
      look('claim', JSON.stringify(await claim('ada')))
      look(
        'writer',
        JSON.stringify((await call('GET', writers)).body.data.find((one: { id: string }) => one.id === named.id)),
      )
      for (const event of (await call('GET', sources)).body.data)
        look('source event', (await call('GET', `${sources}/${event.id}`)).text)
      assert.deepEqual([...new Set(left)], [])
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })
  })
}

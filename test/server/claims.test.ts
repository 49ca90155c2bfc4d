import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { contents, host, memoriesOf, writers } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`claims on ${storage}`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const tenant = await server.tenant()
      const memories = memoriesOf(tenant.call)
      const chat = await memories.writer('chat', 50)
      const crm = await memories.writer('crm', 80)
      const claims = async (query = '') => (await tenant.call('GET', `${host}/claims?${query}`)).body
      const resolve = (id: string, body: object) => tenant.call('POST', `${host}/claims/${id}:resolve`, body)
      const reresolve = async (id: string) => {
        const { status, body, text } = await tenant.call('POST', `${writers}/${id}:reresolve`)
        assert.equal(status, 202, text)
        const job = async () => (await tenant.call('GET', `${host}/jobs/${body.jobId}`)).body
        await eventually('it was decided again', async () => (await job()).status === 'completed')
        return (await job()).result
      }
      return { ...memories, ...tenant, chat, crm, claims, resolve, reresolve }
    }

    test('pages of claims with long contents are short, and together they have every claim once', async () => {
      const { call, claims } = await prepare()
      for (let n = 0; n < 4; n++) {
        const messages = Array.from({ length: 12 }, (_, m) => ({
          role: 'user',
          content: `${n} ${m} ${'tea '.repeat(15_000)}`,
        }))
        const added = await call('POST', '/v1/memories/add', { external_user_id: 'long', infer: false, messages })
        assert.equal(added.status, 202, added.text)
        await eventually('it was ingested', async () => {
          const { body } = await call('GET', `/v1/memories/jobs/${added.body.job_id}`)
          return body.status === 'completed'
        })
      }
      const sizes: number[] = []
      const seen: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await claims(`subject=long&limit=500${cursor && `&cursor=${cursor}`}`)
        seen.push(...page.claims.map(({ id }: { id: string }) => id))
        sizes.push(page.claims.length)
        cursor = page.cursor
      }
      // Of 60,000 characters each, 35 reach the two million of a page.
      assert.deepEqual(sizes, [35, 13])
      assert.equal(new Set(seen).size, 48)
    })

    test('the timeline shows each content while it was current, gaps, and only what the reader may see', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode', { observedAt: '2026-01-01T00:00:01Z' })
      await ingest('ada', 'light mode', { service: 'crm' })
      await ingest('ada', 'blue mode')
      const light = await winner('ada')
      assert.equal((await call('DELETE', `/v1/memories/${light.id}`)).status, 200)
      await ingest('ada', 'tea', { claim: 'drink', body: { readers: ['nurse'] } })
      await ingest('ada', 'scones', { claim: 'food', body: { readers: ['baker'] } })
      const timeline = async (more = '') => (await call('GET', `${host}/timeline?subject=ada${more}`)).body
      const { rows } = await timeline()
      const theme = rows.find(({ claimKey }: { claimKey: string }) => claimKey === 'ui.theme')
      type Span = { content: string; writer: string; from: Moment; to: Moment | null; endedReason: string | null }
      type Moment = { position: number; at: string }
      const shown = theme.spans.map(({ content, writer, from, to, endedReason }: Span) => [
        content,
        writer,
        to === null ? 'now' : to.position === from.position ? 'lost' : `until ${endedReason}`,
      ])
      assert.deepEqual(shown, [
        ['dark mode', 'chat', 'until superseded'],
        ['light mode', 'crm', 'until deleted'],
        ['blue mode', 'chat', 'lost'],
        ['dark mode', 'chat', 'now'],
      ])
      assert.ok(
        theme.spans.every(({ from }: Span) => Date.parse(from.at) > Date.parse('2026-01-02')),
        'recorded instants',
      )
      const [dark, won] = theme.spans
      assert.deepEqual(dark.to, won.from, 'the next one begins where the one before ends')
      assert.equal(won.observedAt, '2026-01-01T00:00:00.000Z')
      const ofNurse = (await timeline('&reader=nurse')).rows.map(({ claimKey }: { claimKey: string }) => claimKey)
      assert.deepEqual(ofNurse.sort(), ['drink', 'ui.theme'])
      const first = await timeline('&limit=1')
      const rest = await timeline(`&cursor=${first.cursor}`)
      assert.deepEqual([...first.rows, ...rest.rows], rows)
      assert.deepEqual((await call('GET', `${host}/timeline?subject=bo`)).body, { rows: [] })
      assertError(await call('GET', `${host}/timeline`), 400, 'validation_error')
    })

    test('a claim shows its contents, their sources, and the winner', async () => {
      const { ingest, claim, winner, call } = await prepare()
      await ingest('ada', 'dark mode', { observedAt: '2026-01-02T00:00:00Z' })
      await ingest('ada', 'light mode', { service: 'crm', confidence: 0.8 })
      await ingest('ada', 'Light mode!', { confidence: 0.5 })
      await ingest('ada', 'perhaps blue', { confidence: 0.5 })
      const found = await claim('ada')
      const { id } = await winner('ada')
      assert.deepEqual(
        [found.subject, found.category, found.claimKey, found.status, found.winner, found.pin],
        ['ada', 'preference', 'ui.theme', 'settled', id, null],
      )
      const shown = found.contents.map(({ memoryId: _id, ...content }: { memoryId: string }) => content)
      const early = '2026-01-01T00:00:00.000Z'
      assert.deepEqual(shown, [
        {
          content: 'light mode',
          status: 'active',
          priority: 80,
          observedAt: early,
          confidence: 0.9,
          sources: 2,
          writers: 2,
          services: ['chat', 'crm'],
          trust: 'agent',
        },
        {
          content: 'dark mode',
          status: 'superseded',
          priority: 50,
          observedAt: '2026-01-02T00:00:00.000Z',
          confidence: 1,
          sources: 1,
          writers: 1,
          services: ['chat'],
          trust: 'agent',
        },
        {
          content: 'perhaps blue',
          status: 'superseded',
          priority: 50,
          observedAt: early,
          confidence: 0.5,
          sources: 1,
          writers: 1,
          services: ['chat'],
          trust: 'agent',
        },
      ])
      assert.deepEqual((await call('GET', `${host}/claims/${found.id}`)).body, found)
      assertError(await call('GET', `${host}/claims/clm_none`), 404, 'claim_not_found')
      const other = await server.tenant()
      assertError(await other.call('GET', `${host}/claims/${found.id}`), 404, 'claim_not_found')
    })

    test('the inbox lists claims that are tied on priority, until the tie is broken', async () => {
      const { ingest, claims } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode')
      await ingest('bob', 'dark mode')
      await ingest('bob', 'light mode', { service: 'crm' })
      await ingest('cleo', 'dark mode', { service: 'crm' })
      await ingest('cleo', 'light mode', { service: 'crm' })
      const subjects = async (query: string) =>
        (await claims(query)).claims.map(({ subject }: { subject: string }) => subject).sort()
      assert.deepEqual(await subjects('status=contested'), ['ada', 'cleo'])
      assert.deepEqual(await subjects('status=contested&subject=bob'), [])
      assert.deepEqual(await subjects(''), ['ada', 'bob', 'cleo'])
      const first = await claims('limit=2')
      assert.equal(first.claims.length, 2)
      const rest = await claims(`limit=2&cursor=${first.cursor}`)
      assert.deepEqual([rest.claims.length, rest.cursor], [1, undefined])
      await ingest('ada', 'no mode', { service: 'crm' })
      assert.deepEqual(await subjects('status=contested'), ['cleo'], 'two that lose may be tied')
      await ingest('cleo', 'dark mode')
      assert.deepEqual(await subjects('status=contested'), ['cleo'])
    })

    test('a pin makes its content the winner until it is removed, and shows the key and the reason', async () => {
      const { ingest, claim, winner, all, resolve, claims, call } = await prepare()
      await ingest('ada', 'dark mode')
      const dark = await winner('ada')
      await ingest('ada', 'light mode', { service: 'crm' })
      const { id } = await claim('ada')
      const pinned = await resolve(id, { memoryId: dark.id, reason: 'She said so on the phone.' })
      assert.equal(pinned.status, 200, pinned.text)
      const { actor, reason, memoryId, at } = pinned.body.pin
      assert.match(actor, /^key:key_/)
      assert.deepEqual([reason, memoryId, pinned.body.status], ['She said so on the phone.', dark.id, 'pinned'])
      assert.ok(Date.parse(at) > 0)
      const now = await winner('ada')
      assert.deepEqual([now.id, now.version], [dark.id, 2])
      await ingest('ada', 'blue mode', { service: 'crm', observedAt: '2026-05-05T00:00:00Z' })
      assert.equal((await winner('ada')).content, 'dark mode')
      assert.deepEqual((await claims('status=contested')).claims, [], 'what is pinned is not contested')
      const headers = { 'idempotency-key': 'unpin' }
      const unpin = () =>
        call('POST', `${host}/claims/${id}:resolve`, { unpin: true, reason: 'It was a mistake.' }, headers)
      const unpinned = await unpin()
      assert.deepEqual([unpinned.body.pin, unpinned.body.status], [null, 'contested'])
      assert.equal((await unpin()).headers.get('idempotent-replay'), 'true')
      assert.equal((await winner('ada')).content, 'blue mode')
      assert.deepEqual(contents(await all('ada')), ['blue mode', 'light mode', 'dark mode'])
      const audit = JSON.stringify((await call('GET', `${host}/audit?limit=500`)).body)
      assert.ok(audit.includes('claim.pinned') && audit.includes('claim.unpinned') && !audit.includes('phone'))
    })

    test('a pin must name a memory of the claim and a reason; otherwise nothing changes', async () => {
      const { ingest, claim, winner, resolve, state } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('bob', 'light mode')
      const other = await winner('bob')
      const { id } = await claim('ada')
      const { id: own } = await winner('ada')
      const before = await state()
      for (const body of [
        {},
        { memoryId: own },
        { reason: 'why' },
        { memoryId: own, reason: '' },
        { memoryId: own, reason: ' ' },
        { memoryId: own, reason: 'x'.repeat(513) },
        { memoryId: own, reason: 5 },
        { memoryId: other.id, reason: 'why' },
        { memoryId: 'mem_none', reason: 'why' },
        { memoryId: 5, reason: 'why' },
        { unpin: 'yes', reason: 'why' },
        { unpin: true },
        { memoryId: own, reason: 'why', unknown: 1 },
      ])
        assertError(await resolve(id, body), 400, 'validation_error')
      assertError(await resolve('clm_none', { memoryId: own, reason: 'why' }), 404, 'claim_not_found')
      assert.deepEqual(await state(), before)
    })

    test('changed rules apply from then on; a preview stores nothing; resolving again decides anew', async () => {
      const { ingest, winner, state, call, chat, reresolve, claim, claims } = await prepare()
      await ingest('ada', 'dark mode')
      const dark = await winner('ada')
      await ingest('ada', 'light mode', { service: 'crm' })
      const light = await winner('ada')
      await ingest('bob', 'dark mode')
      await ingest('cleo', 'dark mode', { service: 'crm' })
      const authority_rules = { default_priority: 10, categories: { preference: 95 } }
      const before = await state()
      const preview = await call('POST', `${host}/writers/${chat.id}:preview`, { authority_rules })
      assert.equal(preview.status, 200, preview.text)
      const { id: claimId } = await claim('ada')
      assert.deepEqual(preview.body, {
        claims: 2,
        changed: 1,
        contested: 0,
        pinned: 0,
        changes: [
          {
            ...{ claimId, subject: 'ada', claimKey: 'ui.theme', from: light.id, to: dark.id },
            before: { source: 'crm', priority: 80, content: 'light mode' },
            after: { source: 'chat', priority: 95, content: 'dark mode' },
          },
        ],
        contests: [],
      })
      const wrong = await call('POST', `${host}/writers/${chat.id}:preview`, {
        authority_rules: { default_priority: 1.5 },
      })
      assert.ok(wrong.status === 400 || wrong.status === 422, wrong.text)
      assert.deepEqual(await state(), before, 'a preview stores nothing')

      await call('PATCH', `${writers}/${chat.id}`, { authority_rules })
      assert.equal((await winner('ada')).id, light.id, 'what was decided stays decided')
      assert.deepEqual(await reresolve(chat.id), { decided: 2, changed: 1 })
      const now = await winner('ada')
      assert.deepEqual([now.id, now.version], [dark.id, 2])
      assert.deepEqual(await reresolve(chat.id), { decided: 2, changed: 0 }, 'deciding again changes nothing')
      await ingest('ada', 'light mode', { service: 'crm', observedAt: '2026-09-09T00:00:00Z' })
      assert.equal((await winner('ada')).id, dark.id)

      await call('PATCH', `${writers}/${chat.id}`, { is_active: false })
      assert.equal((await winner('ada')).id, dark.id, 'nor does deactivating')
      await reresolve(chat.id)
      assert.equal((await winner('ada')).id, light.id)
      assert.equal((await claims('subject=bob')).claims[0].status, 'settled', 'who has no rival holds on')
    })

    test('the authority of several writers changes in one commit, all or none, and the preview says what becomes of claims', async () => {
      const { ingest, winner, call, chat, crm, claim, resolve } = await prepare()
      for (const person of ['ada', 'bo']) {
        await ingest(person, 'dark mode')
        await ingest(person, 'light mode', { service: 'crm' })
      }
      const pinned = await claim('bo')
      await resolve(pinned.id, { memoryId: pinned.winner, reason: 'she said so' })
      const rules = (priorities: [string, number][]) => ({
        writers: priorities.map(([id, default_priority]) => ({ id, authority_rules: { default_priority } })),
      })
      const swapped = rules([
        [chat.id, 90],
        [crm.id, 10],
      ])
      const position = async () => (await call('GET', `${host}/moment`)).body.position
      const before = await position()
      const { changes, contests, ...counts } = (await call('POST', `${host}/authority:preview`, swapped)).body
      assert.deepEqual(counts, { claims: 2, changed: 1, contested: 0, pinned: 1 })
      assert.deepEqual(
        [contests, changes.map(({ subject, before, after }: Record<string, unknown>) => [subject, before, after])],
        [
          [],
          [
            [
              'ada',
              { content: 'light mode', source: 'crm', priority: 80 },
              { content: 'dark mode', source: 'chat', priority: 90 },
            ],
          ],
        ],
      )
      const tied = (
        await call(
          'POST',
          `${host}/authority:preview`,
          rules([
            [chat.id, 60],
            [crm.id, 60],
          ]),
        )
      ).body
      assert.deepEqual([tied.contested, tied.contests[0].contents.length], [1, 2])
      assert.equal(await position(), before, 'a preview stores nothing')
      const unknown = rules([
        [chat.id, 90],
        ['wtr_none', 10],
      ])
      assert.equal((await call('POST', `${host}/authority`, unknown)).status, 404)
      assert.equal(
        (
          await call(
            'POST',
            `${host}/authority`,
            rules([
              [chat.id, 1],
              [chat.id, 2],
            ]),
          )
        ).status,
        400,
      )
      assert.equal(await position(), before, 'none is stored if one is refused')
      const key = { 'idempotency-key': 'swap-1' }
      const [first, again] = [
        await call('POST', `${host}/authority`, swapped, key),
        await call('POST', `${host}/authority`, swapped, key),
      ]
      assert.deepEqual([first.status, again.body.jobId], [202, first.body.jobId])
      type Shown = { authority_rules: { default_priority: number } }
      assert.deepEqual(
        first.body.writers.map(({ authority_rules }: Shown) => authority_rules.default_priority),
        [90, 10],
      )
      const records = (await call('GET', `${host}/audit?limit=500`)).body.records
      assert.equal(
        records.filter(({ kind }: { kind: string }) => kind === 'admin.writer.changed').length,
        1,
        'one commit',
      )
      await eventually('ada was decided again', async () => (await winner('ada')).content === 'dark mode')
      assert.equal((await winner('bo')).content, 'light mode', 'a pin stays')
    })

    test('a statement without a source has the default priority of the tenant', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: null })
      assert.equal((await winner('ada')).content, 'dark mode')
      await call('PATCH', '/v1/tenant/settings', { default_writer_priority: 60 })
      await ingest('ada', 'blue mode', { service: null })
      assert.equal((await winner('ada')).content, 'blue mode')
      await call('PATCH', '/v1/tenant/settings', { default_writer_priority: 0 })
      await ingest('ada', 'blue mode', { service: null })
      assert.deepEqual([(await winner('ada')).content, (await winner('ada')).sources], ['blue mode', 2])
    })
  })
}

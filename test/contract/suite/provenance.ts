import assert from 'node:assert/strict'
import { fullAccess } from '../../../src/core/entries/access.ts'
import { nameInList } from '../../../src/core/entries/entry-audit.ts'
import { isColophonError } from '../../../src/core/errors.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import { claimEntry, claimStep, commit, sourceOf } from './provenance-rows.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const idsOf = (events: readonly { sourceEventId: string }[]) => events.map(({ sourceEventId }) => sourceEventId)

const everything = { subject: null, service: null, after: null, limit: 100 }

async function auditOf({ storage }: World, position: number) {
  const [row] = await storage.audit({ tenantId: 'acme', from: position, to: position, limit: 1 })
  return JSON.parse(row?.body ?? '{}')
}

/** A source event is stored once, read back as it was, and keeps its hash when its messages are deleted. */
export function sourceEventsContract(test: ContractTest): void {
  test('a source event is read back exactly as it was sent', async (world) => {
    await ensureTenants(world, 'acme')
    const deep = { 'ключ 🦊': ['"quoted" \\ \u2028', '', -1e-7, null, true, { none: {} }] }
    const full = sourceOf('src_1', {
      service: 'chat-service.v2',
      eventId: 'evt "ü" 🦊',
      subject: 'ada/ü',
      agentId: 'agent 1',
      infer: false,
      observedAt: -5,
      receivedAt: 1_700_000_000_123,
      isHashPrivate: true,
      scope: { deep },
      evidence: [{ source_type: 'conversation', deep }, {}],
      metadata: { deep },
      messages: [
        { role: 'user', content: 'line\nline 🦊', category: 'fact', claimKey: 'a.b', confidence: 0.123456789012345 },
        { role: 'system', content: ' ' },
      ],
    })
    const bare = sourceOf('src_2', { service: null, eventId: null })
    const position = await commit(world, { kind: 'source.received', sourceEvents: [full, bare] })
    const { provenance } = world.storage
    assert.deepEqual(await provenance.sourceEvent('acme', 'src_1'), { ...full, recordedPosition: position })
    assert.deepEqual(await provenance.sourceEvent('acme', 'src_2'), { ...bare, recordedPosition: position })
    assert.deepEqual(await provenance.sourceEventNamed('acme', 'chat-service.v2', 'evt "ü" 🦊'), {
      ...full,
      recordedPosition: position,
    })
    assert.equal(await provenance.sourceEventNamed('acme', 'chat-service.v2', 'evt'), null)
    assert.equal(await provenance.sourceEventNamed('acme', 'other', 'evt "ü" 🦊'), null)
    const named = await provenance.sourceEventsNamed('acme', ['other', 'chat-service.v2', 'chat'], 'evt "ü" 🦊')
    assert.deepEqual(
      named.map(({ sourceEventId, messages, metadata }) => [sourceEventId, messages, metadata]),
      [['src_1', [], {}]],
    )
    for (const [tenantId, services] of [
      ['unknown', ['chat-service.v2']],
      ['acme', []],
    ] as const)
      assert.deepEqual(await provenance.sourceEventsNamed(tenantId, services, 'evt "ü" 🦊'), [])
    assert.equal(await provenance.sourceEvent('acme', 'src_3'), null)
    const summaries = await provenance.sourceEventSummaries('acme', ['src_2', 'src_1', 'src_3', 'src_2'])
    const bySource = Map.groupBy(summaries, ({ sourceEventId }) => sourceEventId)
    assert.deepEqual([...bySource.keys()].sort(), ['src_1', 'src_2'])
    for (const event of [full, bare]) {
      const { sourceEventId, service, eventId, observedAt, receivedAt, payloadHash, isHashPrivate } = event
      const { scope, evidence } = event
      const named = { sourceEventId, service, eventId, observedAt, receivedAt }
      const expected = { ...named, payloadHash, isHashPrivate, scope, evidence }
      const [summary, ...others] = bySource.get(sourceEventId) ?? []
      assert.deepEqual(others, [])
      assert.deepEqual({ ...summary, ...expected }, summary)
    }
    assert.deepEqual(await provenance.sourceEventSummaries('rival', ['src_1']), [])
    const at = (await world.storage.audit({ tenantId: 'acme', from: position, to: position, limit: 1 }))[0]?.at
    assert.deepEqual(await provenance.instants('acme', [position, position + 1, position]), new Map([[position, at]]))
    assert.deepEqual(await provenance.instants('rival', [position]), new Map())
    const record = await auditOf(world, position)
    assert.deepEqual(
      record.sourceEvents.map(({ id }: { id: string }) => id),
      ['src_1', 'src_2'],
    )
    assert.ok(!JSON.stringify(record).includes('line'), 'the audit is free of content')
  })

  test('an excerpt of an audit record has its beginning, and says whether the record lists an entry as written', async (world) => {
    await ensureTenants(world, 'acme', 'rival')
    const { storage, colophon } = world
    const { id } = await colophon.memory('acme').put('notes', { content: 'line' })
    const [{ position, at, body } = { position: 0, at: 0, body: '' }] = await storage.audit({
      ...{ tenantId: 'acme', from: 1, to: 1, limit: 1 },
    })
    const writes = [
      { position, name: nameInList(id) },
      { position, name: nameInList('other') },
      { position: position + 1, name: nameInList(id) },
      // Before the list: as the name of an entry that the commit ended.
      { position, name: '"actor"' },
    ]
    const excerpts = await storage.provenance.writeExcerpts('acme', writes)
    assert.deepEqual(
      excerpts.map((excerpt) => excerpt && [excerpt.at, excerpt.isNamed]),
      [[at, true], [at, false], null, [at, false]],
    )
    assert.equal(excerpts[0]?.head.slice(0, 200), body.slice(0, 200))
    assert.deepEqual(await storage.provenance.writeExcerpts('rival', writes.slice(0, 1)), [null])
  })

  test('an event is stored once per service and event id; events without a service are stored each time', async (world) => {
    await ensureTenants(world, 'acme')
    const unnamed = { service: null, eventId: null }
    await commit(world, { sourceEvents: [sourceOf('src_1', { eventId: 'e' }), sourceOf('src_2', unnamed)] })
    const before = await world.storage.clock('acme')
    const again = { sourceEvents: [sourceOf('src_3', unnamed), sourceOf('src_4', { eventId: 'e' })] }
    await rejectsWith('source_event_exists', commit(world, again), 'said in')
    assert.deepEqual(await world.storage.clock('acme'), before)
    assert.equal(await world.storage.provenance.sourceEvent('acme', 'src_3'), null, 'all of the batch or nothing')
    await commit(world, {
      sourceEvents: [
        sourceOf('src_5', { eventId: 'E' }),
        sourceOf('src_6', { service: 'crm', eventId: 'e' }),
        sourceOf('src_7', unnamed),
        sourceOf('src_8', unnamed),
      ],
    })
    assert.equal((await world.storage.provenance.sourceEventNamed('acme', 'chat', 'e'))?.sourceEventId, 'src_1')
  })

  test('an event whose tombstone is stored is refused; the tombstone of a new event is not stored', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { sourceEvents: [sourceOf('src_1', { eventId: 'erased:x' })] })
    const before = await world.storage.clock('acme')
    const again = sourceOf('src_2', { eventId: 'e', tombstone: 'erased:x' })
    await rejectsWith('source_event_erased', commit(world, { sourceEvents: [again] }))
    assert.deepEqual(await world.storage.clock('acme'), before)
    const others = [
      sourceOf('src_3', { eventId: 'e', tombstone: 'erased:y' }),
      sourceOf('src_4', { service: 'crm', eventId: 'e', tombstone: 'erased:x' }),
    ]
    const position = await commit(world, { sourceEvents: others })
    for (const { tombstone: _notStored, ...event } of others) {
      const stored = await world.storage.provenance.sourceEvent('acme', event.sourceEventId)
      assert.deepEqual(stored, { ...event, recordedPosition: position })
    }
  })

  test('of concurrent calls with the same event, one is stored and the others are refused', async (world) => {
    await ensureTenants(world, 'acme')
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => {
        const name = { eventId: `e${n % 4}`, payloadHash: `sha256:${n}` }
        const jobs = [{ jobId: `job_${n}`, kind: 'k', payload: {}, priority: 0, dueAt: null, attemptsMax: 3 }]
        return world.storage.commit(batchOf({ tenantId: 'acme', sourceEvents: [sourceOf(`src_${n}`, name)], jobs }))
      }),
    )
    const refused = settled.filter((one) => one.status === 'rejected')
    assert.equal(refused.length, 36)
    for (const { reason } of refused) assert.ok(isColophonError(reason, 'source_event_exists'), String(reason))
    const stored = await world.storage.provenance.sourceEvents({ tenantId: 'acme', ...everything })
    assert.deepEqual(stored.map(({ eventId }) => eventId).sort(), ['e0', 'e1', 'e2', 'e3'])
    const jobs = await world.storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 100 })
    assert.deepEqual(
      jobs.map(({ jobId }) => jobId).sort(),
      stored.map(({ sourceEventId }) => sourceEventId.replace('src', 'job')).sort(),
      'a job comes with its event or not at all',
    )
    assert.equal((await world.storage.clock('acme'))?.position, 4)
  })

  test('the heads of all events are read in order of id, with those that have no service', async (world) => {
    await ensureTenants(world, 'acme', 'globex')
    const bare = { service: null, eventId: null, agentId: 'agent"1', actor: 'key:k' }
    const first = await commit(world, { sourceEvents: [sourceOf('src_2', bare)] })
    const second = await commit(world, { sourceEvents: [sourceOf('src_1'), sourceOf('src_3')] })
    const heads = (after: string | null, limit: number, tenantId = 'acme') =>
      world.storage.provenance.sourceEventHeads({ tenantId, after, limit })
    const plain = { service: 'chat', agentId: null, actor: 'test', recordedPosition: second, readers: null }
    const all = [
      { sourceEventId: 'src_1', ...plain },
      {
        sourceEventId: 'src_2',
        service: null,
        agentId: 'agent"1',
        actor: 'key:k',
        recordedPosition: first,
        readers: null,
      },
      { sourceEventId: 'src_3', ...plain },
    ]
    assert.deepEqual(await heads(null, 10), all)
    assert.deepEqual(await heads('src_1', 1), all.slice(1, 2))
    assert.deepEqual(await heads(null, 10, 'globex'), [])
  })

  test('a batch that expects a position is stored at that position only', async (world) => {
    await ensureTenants(world, 'acme')
    const position = await commit(world, { sourceEvents: [sourceOf('src_1')] })
    const next = (expectsPosition: number) =>
      world.storage.commit(batchOf({ tenantId: 'acme', sourceEvents: [sourceOf('src_2')], expectsPosition }))
    for (const other of [position - 1, position + 1]) await rejectsWith('version_conflict', next(other))
    assert.equal((await next(position)).outcome.position, position + 1)
  })

  test('events are listed newest first, by subject and by service, in pages', async (world) => {
    await ensureTenants(world, 'acme')
    const all = Array.from({ length: 24 }, (_, n) =>
      sourceOf(`src_${String(n).padStart(3, '0')}`, {
        subject: n % 2 ? 'ada' : 'ad',
        ...(n % 6 === 5 ? { service: null, eventId: null } : { service: n % 3 ? 'chat' : 'crm' }),
      }),
    )
    for (const event of all) await commit(world, { sourceEvents: [event] })
    for (const subject of [null, 'ada', 'ad', 'a']) {
      for (const service of [null, 'chat', 'crm', 'cr']) {
        const expected = all
          .filter((event) => event.service !== null)
          .filter(
            (event) => (subject ?? event.subject) === event.subject && (service ?? event.service) === event.service,
          )
          .map(({ sourceEventId }) => sourceEventId)
          .reverse()
        const seen: string[] = []
        for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
          const query = { tenantId: 'acme', subject, service, after, limit: 3 }
          const page = await world.storage.provenance.sourceEvents(query)
          seen.push(...idsOf(page))
          if (page.length < 3) break
        }
        assert.deepEqual(seen, expected, `${subject} ${service}`)
      }
    }
  })

  test('a list of source events has no texts, and pages with texts end after some characters', async (world) => {
    await ensureTenants(world, 'acme')
    const messages = [{ role: 'user' as const, content: 'x'.repeat(900_000) }]
    const all = Array.from({ length: 7 }, (_, n) => sourceOf(`src_${n}`, { messages, metadata: { n } }))
    for (const event of all) await commit(world, { sourceEvents: [event] })
    const everything = { tenantId: 'acme', subject: null, service: null, after: null, limit: 10 }
    const listed = await world.storage.provenance.sourceEvents(everything)
    assert.deepEqual(idsOf(listed), idsOf(all).reverse())
    for (const event of listed) assert.deepEqual([event.messages, event.metadata], [[], {}])
    const snapshot = await world.storage.snapshot('acme')
    const reads = [
      (after: string | null) =>
        world.storage.provenance.keptPayloads({
          ...{ tenantId: 'acme', after, limit: 10 },
          receivedBefore: Number.MAX_SAFE_INTEGER,
        }),
      (after: string | null) => snapshot.sourceEvents({ tenantId: 'acme', about: null, after, limit: 10 }),
    ]
    for (const read of reads) {
      const pages: string[][] = []
      for (let after: string | null = null; ; after = pages.at(-1)?.at(-1) ?? null) {
        const page = await read(after)
        if (page.length === 0) break
        for (const event of page) assert.deepEqual(event.messages, messages)
        pages.push(idsOf(page))
      }
      assert.deepEqual(pages.flat(), idsOf(all))
      assert.deepEqual(
        pages.map((page) => page.length),
        [3, 3, 1],
      )
    }
    await snapshot.close()
  })

  test(
    'verify with contents finds a source event that was edited or removed',
    async (world) => {
      await ensureTenants(world, 'acme')
      await commit(world, { sourceEvents: [sourceOf('src_0')] })
      const position = await commit(world, { sourceEvents: [sourceOf('src_1')] })
      const memory = world.colophon.memory('acme')
      await commit(world, { payloadsRedacted: ['src_1'] })
      await assertIntact(memory)
      await world.execute(`update source_event set payload_hash = 'sha256:other' where source_event_id = 'src_1'`)
      assert.equal((await memory.verify()).ok, true)
      const named = { position, what: 'source event', id: 'src_1' }
      assert.deepEqual((await memory.verify({ contents: true })).fault, { ...named, problem: 'changed' })
      await world.execute(`delete from source_event where source_event_id = 'src_1'`)
      assert.deepEqual((await memory.verify({ contents: true })).fault, { ...named, problem: 'gone' })
    },
    { sql: true },
  )

  test('deleted messages are gone from every read, and everything else of the event stays', async (world) => {
    await ensureTenants(world, 'acme')
    const events = Array.from({ length: 7 }, (_, n) => sourceOf(`src_${n}`, { receivedAt: 100 - n }))
    await commit(world, { sourceEvents: events })
    const before = await world.storage.provenance.sourceEvent('acme', 'src_2')
    const position = await commit(world, {
      kind: 'source.payloads_redacted',
      payloadsRedacted: ['src_2', 'src_5', 'src_none'],
    })
    assert.deepEqual(await world.storage.provenance.sourceEvent('acme', 'src_2'), { ...before, messages: null })
    assert.equal((await auditOf(world, position)).payloadsRedacted, 3)
    const empty = await commit(world, { kind: 'source.payloads_redacted', counts: { waiting: 2, redacted: 0 } })
    assert.equal(empty, position + 1, 'also a pass that found nothing is recorded')
    assert.deepEqual((await auditOf(world, empty)).counts, { redacted: 0, waiting: 2 })
    const pages = async (receivedBefore: number, limit: number) => {
      const seen: string[] = []
      for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
        const page = await world.storage.provenance.keptPayloads({ tenantId: 'acme', receivedBefore, after, limit })
        seen.push(...idsOf(page))
        if (page.length < limit) return seen
      }
    }
    const kept = ['src_0', 'src_1', 'src_3', 'src_4', 'src_6']
    for (const limit of [1, 2, 100]) assert.deepEqual(await pages(101, limit), kept)
    assert.deepEqual(await pages(100, 2), kept.slice(1), 'received before, not at, the instant')
    assert.deepEqual(await pages(97, 1), ['src_4', 'src_6'])
    assert.deepEqual(await pages(0, 2), [])
    await assertIntact(world.colophon.memory('acme'))
  })

  test('source events of one tenant are not visible to another', async (world) => {
    await ensureTenants(world, 'a', 'b')
    const entry = claimEntry('mem_1')
    const parts = (who: string) => ({
      puts: [{ ...entry, content: `of ${who}` }],
      sourceEvents: [sourceOf('src_1', { eventId: 'e', messages: [{ role: 'user', content: who } as const] })],
      claims: [claimStep('clm_1', { claim: { winner: `of ${who}`, isContested: true } })],
    })
    await commit(world, parts('a'), 'a')
    const { provenance } = world.storage
    const page = { tenantId: 'b', after: null, limit: 9 }
    assert.equal(await provenance.sourceEvent('b', 'src_1'), null)
    assert.equal(await provenance.sourceEventNamed('b', 'chat', 'e'), null)
    assert.deepEqual(await provenance.sourceEvents({ ...page, subject: null, service: null }), [])
    assert.deepEqual(await provenance.sourceEvents({ ...page, subject: 'ada', service: 'chat' }), [])
    assert.deepEqual(await provenance.keptPayloads({ ...page, receivedBefore: 1e15 }), [])
    assert.equal(await provenance.claim('b', 'clm_1'), null)
    for (const isContested of [null, true])
      for (const subject of [null, 'ada'])
        assert.deepEqual(await provenance.claims({ ...page, subject, isContested }), [])
    assert.deepEqual(await provenance.assertions('b', 'clm_1'), [])
    assert.deepEqual(await provenance.assertionsOfEvent('b', 'src_1'), [])
    assert.deepEqual(await provenance.newestVersions('b', ['mem_1']), [])
    assert.deepEqual(await provenance.entryVersions('b', 'mem_1'), [])
    const all = { memoryRef: entry.memoryRef, position: 99, now: 1, access: fullAccess, before: null, limit: 9 }
    assert.deepEqual(await provenance.listAll({ tenantId: 'b', ...all }), [])

    await commit(world, parts('b'), 'b')
    await commit(world, { payloadsRedacted: ['src_1'] }, 'b')
    assert.equal((await provenance.sourceEventNamed('a', 'chat', 'e'))?.messages?.[0]?.content, 'a')
    assert.equal((await provenance.claim('a', 'clm_1'))?.winner, 'of a')
    assert.equal((await provenance.newestVersions('b', ['mem_1']))[0]?.content, 'of b')
    assert.equal((await provenance.newestVersions('a', ['mem_1']))[0]?.content, 'of a')
  })
}

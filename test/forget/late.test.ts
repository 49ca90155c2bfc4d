import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createRulesExtractor } from '../../src/adapters/extract/rules.ts'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import type { Engine } from '../../src/app/engine.ts'
import { findForget } from '../../src/app/forget/forget-record.ts'
import { forget, startForget } from '../../src/app/forget/start-forget.ts'
import { openExport } from '../../src/app/portable/export.ts'
import { importPart } from '../../src/app/portable/import.ts'
import { add, ingestJobKind } from '../../src/app/provenance/add.ts'
import { createWriter } from '../../src/app/provenance/writers.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import type { ForgetSelectorKind } from '../../src/core/forget/selector.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { parseExportPart } from '../../src/wires/host/parse-export-part.ts'
import { addRequest, said } from '../support/add-request.ts'
import { eventually } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { forgetAll, isForget, openHost, tenantId } from './own-host.ts'

async function ingest(engine: Engine, subject: string, content: string, eventId: string) {
  const request = addRequest(said(content), { subject, source: { service: 'chat', eventId } })
  return (await add(engine.tenant(tenantId), request, { actor: 'test', keyId: 'key', requestId: 'req' })).event
}

const ended = async (engine: Engine, jobId: string) => {
  await eventually(
    'the job ends',
    async () => (await engine.storage.jobs.get(tenantId, jobId))?.endedAt != null,
    20_000,
  )
  return engine.storage.jobs.get(tenantId, jobId)
}

const stores: Record<string, () => { storage: Storage; drop: () => void }> = {
  model: () => ({ storage: openInMemoryStore({ now: Date.now }), drop: () => {} }),
  sqlite: () => {
    const folder = createFolder()
    return { storage: openSqlite({ path: folder.file('x.db'), now: Date.now }), drop: () => folder.remove() }
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`pending work about a forgotten subject, on ${name}`, () => {
    test('an active import restores nothing', async () => {
      const { storage, drop } = open()
      let beforeRows = async () => {}
      const watched: Storage = {
        ...storage,
        async commit(batch) {
          if (batch.imported?.versions.length) await beforeRows()
          return storage.commit(batch)
        },
      }
      const { engine, close, work } = openHost(watched)
      try {
        await engine.tenant('elsewhere').put('notes', { content: 'Ada was here.', subject: 'ada' })
        const file = await openExport(engine.tenant('elsewhere'))
        let text = ''
        for await (const line of file.lines) text += line
        await file.close()
        work(isForget)
        beforeRows = async () => {
          beforeRows = async () => {}
          await forgetAll(engine, 'subject', 'ada')
        }
        const importing = importPart(engine.tenant(tenantId), await parseExportPart(text), {
          merge: false,
          actor: 'test',
        })
        await assert.rejects(importing, { code: 'import_interrupted' })
        assert.deepEqual(await storage.scanVersions({ tenantId, after: null, limit: 10 }), [])
        // Asked again on purpose, it is told anew.
        const again = await importPart(engine.tenant(tenantId), await parseExportPart(text), {
          merge: true,
          actor: 'test',
        })
        assert.equal(again.finished, true)
      } finally {
        await close()
        drop()
      }
    })

    // Model rule: fence.late-job
    test('a queued job and an active job write nothing and complete', async () => {
      const { storage, drop } = open()
      let whileFinding = async () => {}
      const rules = createRulesExtractor()
      const extractor = {
        ...rules,
        async extract(...args: Parameters<typeof rules.extract>) {
          await whileFinding()
          return rules.extract(...args)
        },
      }
      const { engine, close, work } = openHost(storage, { extractor })
      try {
        await createWriter(engine.tenant(tenantId), { serviceKey: 'chat' })
        const waiting = await ingest(engine, 'ada', 'I prefer tea over coffee.', 'e1')
        work(isForget)
        await forgetAll(engine, 'subject', 'ada')
        const [first, second] = [waiting, await ingest(engine, 'ada', 'I live in London.', 'e2')]
        whileFinding = async () => {
          whileFinding = async () => {}
          await forgetAll(engine, 'subject', 'ada')
        }
        work((kind) => kind === ingestJobKind)
        for (const { jobId } of [first, second]) {
          const job = await ended(engine, jobId)
          assert.equal(job?.status, 'completed', JSON.stringify(job?.error))
        }
        assert.deepEqual(await storage.scanVersions({ tenantId, after: null, limit: 10 }), [])
        const third = await ingest(engine, 'ada', 'I live in Paris.', 'e3')
        assert.equal((await ended(engine, third.jobId))?.status, 'completed')
        assert.equal(
          (await storage.scanVersions({ tenantId, after: null, limit: 10 })).length,
          1,
          'what is new is welcome',
        )
        await assert.rejects(ingest(engine, 'ada', 'I live in London.', 'e2'), { code: 'source_event_erased' })
      } finally {
        await close()
        drop()
      }
    })

    // Model rule: fence.erased-when-removed
    // Model rule: fence.new-stays
    test('a forget deletes exactly what is selected, and a dry run counts it', async () => {
      const subject = fc.constantFrom('ada', 'bob', undefined)
      const act = fc.record({
        ref: fc.constantFrom('one', 'two'),
        subject,
        tag: fc.constantFrom('x', 'y', undefined),
        next: fc.constantFrom('stay', 'revise', 'delete', 'untag'),
      })
      const selector = fc.constantFrom(
        ['subject', 'ada'] as const,
        ['subject', 'nobody'] as const,
        ['memoryRef', 'one'] as const,
        ['tag', 'x'] as const,
      )
      const { storage, drop } = open()
      const { engine, close, work } = openHost(storage)
      work(isForget)
      let tenants = 0
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(act, { maxLength: 12 }), selector, async (acts, [kind, value]) => {
            const own = { ...engine, ...tenantOf(engine, `t${++tenants}`) }
            await checkOne(own.engine.tenant(own.tenantId), acts, kind, value)
          }),
          { numRuns: 25 },
        )
      } finally {
        await close()
        drop()
      }
    })
  })
}

const tenantOf = (engine: Engine, id: string) => ({ engine, tenantId: id })

type Act = { ref: string; subject: string | undefined; tag: string | undefined; next: string }

async function checkOne(tenant: Tenant, acts: readonly Act[], kind: ForgetSelectorKind, value: string) {
  const memory = tenant
  const meant = new Set<string>()
  for (const [index, { ref, subject, tag, next }] of acts.entries()) {
    const draft = { content: `text ${index}`, tags: tag === undefined ? [] : [tag] }
    const entry = await memory.put(ref, subject === undefined ? draft : { ...draft, subject })
    const isMeant = { subject: subject === value, memoryRef: ref === value, tag: tag === value }[kind as 'subject']
    if (isMeant) meant.add(entry.id)
    if (next === 'revise') await memory.revise(ref, entry.id, { content: `revised ${index}` })
    if (next === 'untag') await memory.revise(ref, entry.id, { content: `untagged ${index}`, tags: [] })
    if (next === 'delete') await memory.delete(ref, entry.id)
  }
  const { position } = await memory.snapshot()
  const read = async () => {
    const pages = []
    for (let asOf = 0; asOf <= position; asOf++)
      for (const ref of ['one', 'two']) pages.push((await memory.list(ref, { asOf, limit: 100 })).entries)
    return pages
  }
  const before = await read()
  const seen = await forget(tenant, { [kind]: value, reason: 'test it', dryRun: true })
  assert.ok(seen.dryRun)
  const request = { selector: { kind, value }, reason: 'test it', cascade: true }
  const { id } = await startForget(tenant, request)
  const expected = before.map((page) => page.filter((entry) => !meant.has(entry.id)))
  assert.deepEqual(await read(), expected, 'at once')
  await eventually('it is done', async () => (await findForget(tenant, id))?.facts.receipt != null, 20_000)
  assert.deepEqual(await read(), expected)
  const done = (await findForget(tenant, id))?.facts
  assert.deepEqual([seen.counts, seen.matched], [done?.counts, done?.matched])
  assert.equal(done?.receipt?.matched, meant.size)
  assert.equal(done?.counts.entries, meant.size)
  assert.equal((await memory.verify({ contents: true })).ok, true)
}

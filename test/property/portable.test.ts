import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import type { Engine } from '../../src/app/engine.ts'
import { openExport } from '../../src/app/portable/export.ts'
import { importPart } from '../../src/app/portable/import.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { parseExportPart } from '../../src/wires/host/parse-export-part.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { ingest, openWorld, prepareTenant, untilDone } from './claims-world.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const stores = {
  async model() {
    return { storage: openInMemoryStore({ now: Date.now }), drop: async () => {} }
  },
  async sqlite() {
    const folder = createFolder()
    const storage = openSqlite({ path: folder.file('portable.db'), now: Date.now })
    return { storage, drop: async () => folder.remove() }
  },
  async postgres() {
    const database = await createDatabase()
    return { storage: await openPostgres({ url: database.url, now: Date.now }), drop: database.drop }
  },
}

type Act =
  | { readonly do: 'put'; readonly ref: number; readonly texts: readonly string[]; readonly subject: boolean }
  | { readonly do: 'revise' | 'delete'; readonly which: number; readonly text: string }
  | { readonly do: 'ingest'; readonly service: number; readonly text: string }

// The separators end a line in some readers, but not in a file of lines.
const said = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '')
const text = fc.oneof(said, fc.constant('a\u2028b\r\nc"\\'))
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    ref: fc.nat(2),
    texts: fc.array(text, { minLength: 1, maxLength: 4 }),
    subject: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('revise' as const, 'delete' as const), which: fc.nat(20), text }),
  fc.record({ do: fc.constant('ingest' as const), service: fc.nat(1), text }),
)

let tenants = 0

async function perform(tenant: Tenant, acts: readonly Act[]): Promise<void> {
  const memory = tenant
  const entries: { ref: string; id: string }[] = []
  for (const [index, step] of acts.entries()) {
    const target = 'which' in step ? entries[step.which % Math.max(entries.length, 1)] : undefined
    if (step.do === 'put') {
      const ref = `refs/${step.ref}`
      const drafts = step.texts.map((content) => ({ content, tags: ['a', [...content].slice(0, 5).join('')] }))
      const about = step.subject ? { subject: 'ada' } : {}
      const made = await memory.putMany(
        ref,
        drafts.map((draft) => ({ ...draft, ...about })),
      )
      entries.push(...made.entries.map(({ id }) => ({ ref, id })))
    } else if (step.do === 'ingest') {
      const said = [{ content: step.text, claim: 'tea', confidence: 0.9 }]
      const service = step.service === 0 ? 'crm' : 'chat'
      const event = { service, eventId: `e-${index}`, observedAt: '2026-01-01T00:00:00Z', user: 'ada', said }
      await untilDone(tenant, [await ingest(tenant, event)])
    } else if (target && step.do === 'revise') {
      await memory.revise(target.ref, target.id, { content: step.text }).catch(() => {})
    } else if (target) {
      await memory.delete(target.ref, target.id)
    }
  }
}

async function exported(tenant: Tenant): Promise<string> {
  const { lines, close } = await openExport(tenant)
  let whole = ''
  for await (const line of lines) whole += line
  await close()
  return whole
}

/** What is equal: every line but the first and the last. The copy also contains the positions of the import itself. */
function rowsOf(file: string, positions: number): string[] {
  const lines = file.split('\n').slice(1, -2)
  return lines.filter((line) => {
    const row = JSON.parse(line) as { type: string; position: number }
    return row.type !== 'position' || row.position <= positions
  })
}

for (const [from, to] of [
  ['model', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'model'],
] as const) {
  describe(`from ${from} to ${to}`, () => {
    const opened = Promise.all([stores[from](), stores[to]()])
    const worlds = opened.then((both) => both.map(({ storage }) => openWorld(storage)))
    after(async () => {
      for (const world of await worlds) await world.close()
      for (const store of await opened) await store.drop()
    })

    test('an imported tenant is equal line for line, with every earlier state, and its audit verifies', async () => {
      const [source, target] = (await worlds).map(({ engine }) => engine) as [Engine, Engine]
      const scenario = fc.record({ acts: fc.array(act, { maxLength: 15 }), cut: fc.nat(30) })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ acts, cut }) => {
          const tenantId = `t${tenants++}`
          await prepareTenant(source.tenant(tenantId), { crm: 80, chat: 20 })
          await perform(source.tenant(tenantId), acts)
          const file = await exported(source.tenant(tenantId))
          const part = await parseExportPart(file)
          // Cut off somewhere, then all of it again: lines that are stored are not stored twice.
          const options = { merge: false, actor: 'mover', trust: 'agent' } as const
          await importPart(target.tenant(tenantId), { ...part, lines: part.lines.slice(0, cut) }, options)
          const result = await importPart(target.tenant(tenantId), part, options)
          assert.deepEqual([result.finished, result.base, result.conflicts], [true, 0, []])
          const { position } = part.header
          const copy = await exported(target.tenant(tenantId))
          assert.deepEqual(rowsOf(copy, position), rowsOf(file, position))

          const [was, is] = [source.tenant(tenantId), target.tenant(tenantId)]
          for (let asOf = 1; asOf <= position; asOf++) {
            for (const ref of ['refs/0', 'refs/1', 'refs/2', 'subject:ada']) {
              assert.deepEqual(await is.list(ref, { asOf }), await was.list(ref, { asOf }))
            }
          }
          const verdict = await is.verify({ contents: true })
          assert.equal(verdict.ok, true, JSON.stringify(verdict))
          const again = await importPart(target.tenant(tenantId), await parseExportPart(file), options)
          assert.deepEqual([again.imported, again.finished], [0, true])

          // A later statement with the same key joins the imported claim.
          const said = [{ content: 'green tea', claim: 'tea', confidence: 0.9 }]
          const next = { service: 'crm', eventId: 'next', observedAt: '2026-01-02T00:00:00Z', user: 'ada', said }
          await untilDone(is, [await ingest(is, next)])
          const all = { tenantId, subject: 'ada', isContested: null, after: null, limit: 9 }
          assert.equal((await is.storage.provenance.claims(all)).length, 1)
          assert.deepEqual(
            (await is.list('subject:ada')).entries.map(({ content }) => content),
            ['green tea'],
          )
        }),
        { numRuns: runsOf(25) },
      )
    })
  })
}

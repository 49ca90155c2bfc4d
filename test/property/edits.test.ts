import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createKey } from '../../src/app/access/keys.ts'
import { patchMemory } from '../../src/app/provenance/change-memory.ts'
import { listClaims } from '../../src/app/provenance/claims.ts'
import { listMemories } from '../../src/app/provenance/find-memories.ts'
import { toProv } from '../../src/app/provenance/prov.ts'
import { changeWriter, findWriter } from '../../src/app/provenance/writers.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { firstKey } from '../support/use-cases.ts'
import { meaningOf } from './claims-reference.ts'
import { ingest, openWorld, prepareTenant, untilDone } from './claims-world.ts'
import { runsOf } from './runs.ts'

after(releaseServer)

const words = ['dark mode', 'Dark mode!', 'light mode', 'no mode', 'NO mode'] as const
const keys = ['crm', 'editor', 'admin'] as const

/** A service sends an event, or a key edits one of the memories. */
type Act =
  | { readonly kind: 'ingest'; service: 'crm' | 'shop'; content: string; claim: string }
  | { readonly kind: 'edit'; which: number; content: string; by: (typeof keys)[number] }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('ingest' as const),
    service: fc.constantFrom('crm' as const, 'shop' as const),
    content: fc.constantFrom(...words),
    claim: fc.constantFrom('theme', ''),
  }),
  fc.record({
    kind: fc.constant('edit' as const),
    which: fc.nat(5),
    content: fc.constantFrom(...words),
    by: fc.constantFrom(...keys),
  }),
)
const acts = fc.array(act, { minLength: 2, maxLength: 8 })

const priorities = { crm: 80, shop: 0 }
const observedAt = '2026-01-01T00:00:00Z'

/** What readers find of each memory, without what differs from store to store. */
async function read(tenant: Tenant, asOf?: string) {
  const filter = { subject: 'ada', limit: 50, includeSuperseded: true, ...(asOf === undefined ? {} : { asOf }) }
  return (await listMemories(tenant, filter)).memories
}

type Stated = { readonly content: string; readonly service: string | null; readonly keyId: string }

/** Runs the steps and returns all memories after each. The service that is named for a content must have stated it. */
async function play(tenant: Tenant, script: readonly Act[]) {
  await prepareTenant(tenant, priorities)
  const key = async (name: string) => (await createKey(tenant, firstKey, { name, scopes: ['memory:write'] })).id
  const ids = { crm: await key('crm'), editor: await key('editor'), admin: await key('admin') }
  const nameOf = (keyId: string | null) => keys.find((name) => ids[name] === keyId) ?? keyId
  await changeWriter(tenant, (await findWriter(tenant, 'crm'))?.writerId ?? '', { apiKeyId: ids.crm })
  const stated: Stated[] = []
  const seen: unknown[] = []
  const views: { readonly position: string; readonly view: unknown }[] = []
  for (const [index, one] of script.entries()) {
    if (one.kind === 'ingest') {
      const { service, content, claim } = one
      const keyId = service === 'crm' ? ids.crm : ids.editor
      const said = [{ content, claim, confidence: 1 }]
      const event = { service, eventId: `e${index}`, observedAt, user: 'ada', said }
      await untilDone(tenant, [await ingest(tenant, event, keyId)])
      stated.push({ content, service, keyId })
    } else {
      const active = (await read(tenant)).filter(({ status }) => status === 'active')
      const edited = active.sort((a, b) => (a.content < b.content ? -1 : 1))[one.which % Math.max(active.length, 1)]
      if (edited === undefined) continue
      const editor = { actor: `key:${ids[one.by]}`, requestId: 'req', mayPin: one.by === 'admin' }
      const reason = one.by === 'admin' ? { reason: 'because' } : {}
      const { memory } = await patchMemory(tenant, edited.id, { content: one.content, ...reason }, editor)
      assert.equal(memory.content, one.content, 'the answer has the words of the edit')
      if (one.by === 'admin') assert.equal(memory.status, 'active')
      // An edit with the key of the writer counts as the writer's only for contents that the writer stated.
      const services = one.by === 'crm' ? ['crm', null] : [null]
      stated.push(...services.map((service) => ({ content: one.content, service, keyId: ids[one.by] })))
    }
    const memories = await read(tenant)
    for (const { content, source, attribution } of memories) {
      const isTheirs = stated.some(
        (item) =>
          meaningOf(item.content) === meaningOf(content) &&
          item.service === (source?.service ?? null) &&
          item.keyId === attribution.keyId,
      )
      assert.ok(isTheirs, `${content} is shown as a word of ${source?.service ?? nameOf(attribution.keyId)}`)
    }
    const claims = await listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 50 })
    for (const { contents, winner } of claims) {
      const current = contents.filter(({ status }) => status === 'active')
      assert.deepEqual(
        current.map(({ memoryId }) => memoryId),
        winner === null ? [] : [winner],
      )
      for (const { memoryId, content } of current) {
        const memory = memories.find(({ id }) => id === memoryId)
        assert.equal(meaningOf(memory?.content ?? ''), meaningOf(content), 'a claim shows what its memory says')
      }
    }
    const view = memories
      .map(({ content, status, version, sources, writers, confidence, claimKey, source, attribution, tags }) => {
        const who = [source?.service ?? null, nameOf(attribution.keyId)]
        return [claimKey, content, status, version, sources, writers, confidence, who, tags].flat()
      })
      .map(String)
      .sort()
    seen.push(view)
    const shown = memories.map(({ id, content, source }) => `${id} ${content} ${source?.service}`).sort()
    views.push({ position: String((await tenant.storage.clock(tenant.id))?.position), view: shown })
  }
  for (const { position, view } of views) {
    const then = (await read(tenant, position)).map(({ id, content, source }) => `${id} ${content} ${source?.service}`)
    assert.deepEqual(then.sort(), view, `as of ${position}`)
  }
  assert.equal((await tenant.verify({ contents: true })).ok, true)
  for (const { memoryRef, id } of await read(tenant)) {
    const found = await tenant.colophon(memoryRef, id)
    // Throws if the document breaks a constraint of PROV.
    if (found !== null) assert.ok((await toProv(tenant, found, true)).entity)
  }
  return seen
}

describe('edits', () => {
  const folder = createFolder()
  const database = createDatabase()
  /** Grows with every call, so that what is stated later is observed later. */
  const clock = () => {
    let now = Date.parse('2026-02-01T00:00:00Z')
    return () => ++now
  }
  const worlds = (async () => {
    const [model, sqlite, postgres] = [clock(), clock(), clock()]
    const { url } = await database
    return {
      model: openWorld(openInMemoryStore({ now: model }), model),
      sqlite: openWorld(openSqlite({ path: folder.file('edits.db'), now: sqlite }), sqlite),
      postgres: openWorld(await openPostgres({ url, now: postgres }), postgres),
    }
  })()
  after(async () => {
    for (const world of Object.values(await worlds)) await world.close()
    await (await database).drop()
    folder.remove()
  })

  const runs = 20
  test('any events and edits name only the service that stated a content, now and at earlier positions, the same on every store', async () => {
    const { model, sqlite, postgres } = await worlds
    let tenants = 0
    const property = fc.asyncProperty(acts, async (script) => {
      const id = `tenant-${++tenants}`
      const expected = await play(model.engine.tenant(id), script)
      for (const { engine } of [sqlite, postgres]) assert.deepEqual(await play(engine.tenant(id), script), expected)
    })
    await fc.assert(property, { numRuns: runsOf(runs) })
  })
})

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { newSigner } from '../../../test/support/signer.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { peopleCheck } from '../../operate/doctor.ts'
import { consolidateRef } from '../consolidation/consolidation-pass.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { runForget } from '../forget/forget-job.ts'
import { getForget } from '../forget/forget-record.ts'
import { forget } from '../forget/start-forget.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { retrieve } from '../provenance/retrieve.ts'
import { search } from '../search/search-memory.ts'
import { verify } from '../verify/verify.ts'
import { mergedSteps, spellingsOf } from './stored-spellings.ts'

const [composed, decomposed] = ['Jos\u00e9', 'Jose\u0301']
const { signal } = new AbortController()
const folder = createFolder()
after(() => folder.remove())
let files = 0
const stores = {
  model: openInMemoryStore,
  sqlite: (options: { now: () => number }) => openSqlite({ ...options, path: folder.file(`${++files}.db`) }),
}

/** As a version stored it that compared ids byte for byte: without a look at the other spelling. */
async function storeAs({ tenant }: UseCaseWorld, name: string, content: string) {
  const parts = {
    memoryRef: `subject:${name}`,
    subject: name,
    tags: [],
    expiresAt: null,
    origin: { kind: 'api' } as const,
  }
  const entry = { ...parts, content, entryId: tenant.system.newId('mem'), salt: tenant.system.newSalt() }
  await tenant.commit({ kind: 'memory.written', puts: [entry] }, { call: { operation: 'test' } })
  return entry.entryId
}

for (const [name, open] of Object.entries(stores)) {
  describe(`a person who was stored in two spellings, on ${name}`, () => {
    const openWorld = () => openUseCases(open, { host: { signer: newSigner() } })

    async function openTwice() {
      const world = openWorld()
      const ids: string[] = []
      for (let n = 1; n <= 5; n++)
        ids.unshift(await storeAs(world, n % 2 === 0 ? composed : decomposed, `likes tea ${n}`))
      return { world, ids }
    }

    test('is one person in lists, page by page, and in searches', async () => {
      const { world, ids } = await openTwice()
      await using _ = world
      const { tenant } = world
      for (const subject of [composed, decomposed]) {
        const seen: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await listMemories(tenant, { subject, limit: 2, cursor })
          seen.push(...page.memories.map(({ id }) => id))
          cursor = page.cursor
          if (cursor === undefined) break
        }
        assert.deepEqual(seen, ids)
        const filtered = await listMemories(tenant, { subject, filter: { subject } })
        assert.deepEqual(
          filtered.memories.map(({ id }) => id),
          ids,
        )
        const all = await listMemories(tenant, { subject, includeSuperseded: true })
        assert.deepEqual(
          all.memories.map(({ id }) => id),
          ids,
        )
        assert.deepEqual(
          (await list(tenant, `subject:${subject}`)).entries.map(({ id }) => id),
          ids,
        )
        assert.equal((await retrieve(tenant, { subject, query: 'tea' })).memories.length, 5)
        assert.equal((await search(tenant, `subject:${subject}`, 'tea')).results.length, 5)
      }
    })

    test('is named by the first spelling in new memory, found by doctor, and consolidated apart', async () => {
      const { world } = await openTwice()
      await using _ = world
      const { tenant } = world
      await put(tenant, 'notes', { content: 'x', subject: composed })
      assert.equal((await search(tenant, 'notes', 'x', { subject: composed })).results.length, 1)
      assert.deepEqual(await spellingsOf(tenant.storage, tenant.id, composed), [decomposed, composed])
      const twice = await tenant.storage.people.spelledTwice({ tenantId: tenant.id, after: null, limit: 10 })
      assert.deepEqual(twice, [{ folded: composed, spellings: [decomposed, composed] }])
      assert.match(peopleCheck(twice.map(({ folded }) => folded))[0]?.message ?? '', new RegExp(composed))
      assert.deepEqual(peopleCheck([]), [])
      await storeAs(world, composed, 'likes tea 2')
      const result = await consolidateRef(tenant, `subject:${composed}`, {
        actor: 'test',
        trigger: 'on-demand',
        signal,
      })
      assert.deepEqual([result.inputCount, result.outputCount], [3, 2], 'only entries of one ref are merged')
    })

    test('is forgotten in both, as the preview says', async () => {
      const { world } = await openTwice()
      await using _ = world
      const { tenant } = world
      const draft = { subject: composed, reason: 'asked for' }
      const preview = await forget(tenant, { ...draft, dryRun: true })
      assert.ok(preview.dryRun)
      assert.deepEqual(
        [preview.spellings, preview.counts.entries, preview.counts.records],
        [[decomposed, composed], 5, 2],
      )
      const started = await forget(tenant, draft)
      assert.ok(!started.dryRun)
      assert.deepEqual((await listMemories(tenant, { subject: decomposed })).memories, [], 'hidden at once')
      await runForget(tenant, started.id, await leaseJob(world, started.jobId), signal)
      const { receipt, counts } = await getForget(tenant, started.id)
      assert.deepEqual([counts, receipt?.left.spellings], [preview.counts, 0])
      assert.deepEqual(await spellingsOf(tenant.storage, tenant.id, composed), [composed])
      assert.equal((await verify(tenant, { contents: true })).ok, true)
    })
  })
}

test('a step over several refs returns nothing behind a place that one of them has not examined', () => {
  const at = (createdPosition: number) => ({ createdPosition, ordinal: 0 })
  const rows = (...positions: number[]) => positions.map((position) => at(position) as EntryVersion)
  const shown = ({ versions, examinedTo }: ReturnType<typeof mergedSteps>) => [
    versions.map(({ createdPosition }) => createdPosition),
    examinedTo?.createdPosition ?? null,
  ]
  const step = (versions: EntryVersion[], to: number | null) => ({ versions, examinedTo: to === null ? null : at(to) })
  assert.deepEqual(shown(mergedSteps([step(rows(9, 5), null), step(rows(7, 3), null)], 10)), [[9, 7, 5, 3], null])
  assert.deepEqual(shown(mergedSteps([step(rows(9), 6), step(rows(7, 3), null)], 10)), [[9, 7], 6])
  assert.deepEqual(shown(mergedSteps([step(rows(9), 4), step(rows(7), 8)], 10)), [[9], 8])
  assert.deepEqual(shown(mergedSteps([step(rows(9, 8), null), step(rows(7, 3), null)], 2)), [[9, 8], null])
})

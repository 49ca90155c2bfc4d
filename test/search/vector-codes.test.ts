import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { shortSha256 } from '../../src/core/audit/digest.ts'
import { fullAccess } from '../../src/core/entries/access.ts'
import type { EntryVersion } from '../../src/core/entries/entry.ts'
import { limits } from '../../src/core/limits.ts'
import { cosineSimilarity, normaliseVector, vectorToBytes } from '../../src/core/search/vectors.ts'
import { openColophon } from '../../src/index.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { createRandom } from '../support/random.ts'
import { createFolder } from '../support/temporary-folder.ts'

const tenantId = 'acme'
const memoryRef = 'notes'
const space = { model: 'small', dimensions: 64 }
const random = createRandom(21)
const count = limits.searchExactVectorsMax + 500

const vectorOf = () => normaliseVector(Float32Array.from({ length: 64 }, () => random() - 0.5)) ?? new Float32Array(64)

async function pending({ vectors }: Storage) {
  const after = { recordedPosition: 0, entryId: '', version: 0 }
  return (await vectors.pending({ tenantId, space, madeSince: 0, after, limit: 2 * count })).versions
}

const made = (version: EntryVersion, vector = vectorOf()) => {
  return { ...version, contentHash: shortSha256(version.content), vector }
}

async function nearest({ vectors }: Storage, vector: Float32Array, limit = 10): Promise<string[]> {
  const query = { tenantId, memoryRef, space, vector, position: 1_000_000, now: 0, where: undefined }
  return (await vectors.nearest({ ...query, access: fullAccess, limit })).map(({ version }) => version.content)
}

test('a ref with many vectors is searched by codes, which follow every change', async () => {
  const folder = createFolder()
  const path = folder.file('many.db')
  const colophon = await openColophon({ path })
  const memory = colophon.memory(tenantId)
  const storage = openSqlite({ path, now: Date.now })
  try {
    const entries = Array.from({ length: count }, (_, at) => ({ content: `note ${at}` }))
    for (let at = 0; at < count; at += 100) await memory.putMany(memoryRef, entries.slice(at, at + 100))
    const all = (await pending(storage)).map((version) => made(version))
    await storage.vectors.save(tenantId, space, 1, all)

    let hits = 0
    for (let nth = 0; nth < 20; nth++) {
      const query = vectorOf()
      const exact = all
        .map(({ content, vector }) => ({ content, similarity: cosineSimilarity(query, vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10)
      const found = await nearest(storage, query)
      hits += exact.filter(({ content }) => found.includes(content)).length
    }
    // These directions have nothing in common, which is the worst case: 64 signs say little.
    assert.ok(hits >= 180, `${hits} of 200`)

    const [first, second, third] = all
    assert.ok(first && second && third)
    assert.deepEqual(await nearest(storage, first.vector, 1), ['note 0'])
    const moved = vectorOf()
    await storage.vectors.save(tenantId, space, 2, [{ ...first, vector: moved }])
    assert.deepEqual(await nearest(storage, moved, 1), ['note 0'], 'a vector that was replaced')

    await memory.put(memoryRef, { content: 'new' })
    const [added] = await pending(storage)
    assert.ok(added)
    const own = vectorOf()
    // By another connection, as another process would.
    const other = openSqlite({ path, now: Date.now })
    await other.vectors.save(tenantId, space, 3, [made(added, own)])
    assert.deepEqual(await nearest(storage, own, 1), ['new'])

    const erasures = [{ memoryRef, entryId: second.entryId, version: 1 }]
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    assert.ok(!(await nearest(storage, second.vector)).includes('note 1'))
    await other.close()
    await colophon.close()
    await storage.close()
    const isKept = (vector: Float32Array) =>
      readdirSync(folder.path).some((file) =>
        readFileSync(folder.file(file)).includes(Buffer.from(vectorToBytes(vector))),
      )
    assert.deepEqual([isKept(third.vector), isKept(second.vector)], [true, false])
  } finally {
    await colophon.close()
    await storage.close()
    folder.remove()
  }
})

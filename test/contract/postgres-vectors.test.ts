import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { shortSha256 } from '../../src/core/audit/digest.ts'
import { fullAccess } from '../../src/core/entries/access.ts'
import { openColophon } from '../../src/index.ts'
import { createDatabase, createEmptyDatabase, releaseServer, run } from '../support/databases.ts'
import { createRandom } from '../support/random.ts'
import { batchOf } from './suite/batch.ts'
import { describeStorageContract } from './suite/index.ts'

after(releaseServer)

const tenantId = 'acme'
const memoryRef = 'notes'
const start = { recordedPosition: 0, entryId: '', version: 0 }

async function open(url: string, exactVectorsMax = 0) {
  return openPostgres({ url, now: Date.now, exactVectorsMax })
}

const probe = await createDatabase()
const probed = await open(probe.url)
const hasIndex = probed.vectors.method() === 'hnsw'
await probed.close()
await probe.drop()

const reason =
  'HNSW was not run: this PostgreSQL has no pgvector. Give one that has it in COLOPHON_TEST_DATABASE_URL to run it.'
const skip = hasIndex ? {} : { skip: reason }
if (!hasIndex) console.log(reason)

if (hasIndex)
  describeStorageContract(
    'postgres by index',
    {
      async open({ now }) {
        const database = await createDatabase()
        const storage = await openPostgres({ url: database.url, now, exactVectorsMax: 0 })
        // The index is made when vectors of a length begin.
        await storage.vectors.begin('first', { model: 'small', dimensions: 2 })
        const execute = async (sql: string) => void (await run(database.url, sql))
        return { storage, execute, dispose: () => database.drop() }
      },
    },
    ['vectors'],
  )

/** Entries with random vectors, in several refs and tenants. */
async function fill(url: string, dimensions: number, counts: Readonly<Record<string, number>>) {
  const random = createRandom(3)
  const space = { model: 'small', dimensions }
  const vectorOf = () => {
    const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
    return vector.map((number) => number / Math.hypot(...vector))
  }
  const colophon = await openColophon({ databaseUrl: url })
  const storage = await open(url)
  const made = new Map<string, Float32Array>()
  for (const [name, count] of Object.entries(counts)) {
    const [tenant = '', ref = ''] = name.split('/')
    const entries = Array.from({ length: count }, (_, at) => ({
      content: `${name} ${at}`,
      tags: at % 50 === 0 ? ['rare'] : [],
    }))
    for (let at = 0; at < count; at += 100) await colophon.memory(tenant).putMany(ref, entries.slice(at, at + 100))
  }
  for (const tenant of new Set(Object.keys(counts).map((name) => name.split('/')[0] ?? ''))) {
    await storage.vectors.begin(tenant, space)
    const { versions } = await storage.vectors.pending({
      tenantId: tenant,
      space,
      madeSince: 0,
      after: start,
      limit: 9_999,
    })
    const vectors = versions.map((version) => {
      const vector = vectorOf()
      made.set(version.content, vector)
      return { ...version, contentHash: shortSha256(version.content), vector }
    })
    await storage.vectors.save(tenant, space, 1, vectors)
  }
  await colophon.close()
  return { storage, space, made, vectorOf }
}

test('a ref of any share of the index is searched completely, with and without a filter', skip, async () => {
  const database = await createDatabase()
  const { storage, space, made, vectorOf } = await fill(database.url, 32, {
    'acme/notes': 1_000,
    'acme/few': 60,
    'rival/notes': 1_000,
  })
  try {
    const given = { tenantId, space, position: 1_000_000, now: 0, access: fullAccess, limit: 10 }
    const rare = { kind: 'text', field: 'tag', in: ['rare'] } as const
    for (const ref of ['notes', 'few'])
      for (const where of [undefined, rare]) {
        let hits = 0
        let wanted = 0
        for (let nth = 0; nth < 10; nth++) {
          const vector = vectorOf()
          const exact = [...made]
            .filter(([name]) => name.startsWith(`acme/${ref} `) && (where === undefined || name.endsWith('0')))
            .filter(([name]) => where === undefined || Number(name.split(' ')[1]) % 50 === 0)
            .map(([name, other]) => ({ name, product: other.reduce((sum, x, at) => sum + x * (vector[at] ?? 0), 0) }))
            .sort((a, b) => b.product - a.product)
            .slice(0, 10)
          const near = await storage.vectors.nearest({ ...given, memoryRef: ref, vector, where })
          assert.equal(near.length, exact.length)
          const found = near.map(({ version }) => version.content)
          assert.ok(found.every((content) => content.startsWith(`acme/${ref} `)))
          hits += exact.filter(({ name }) => found.includes(name)).length
          wanted += exact.length
        }
        assert.ok(hits / wanted >= 0.95, `${ref} ${where ? 'filtered' : 'all'}: ${hits} of ${wanted}`)
      }
  } finally {
    await storage.close()
    await database.drop()
  }
})

test('after an erasure and a vacuum the index has no copy of the vector', skip, async () => {
  const database = await createDatabase()
  const { storage } = await fill(database.url, 32, { 'acme/notes': 5 })
  try {
    const [row] = await run(
      database.url,
      `select entry_id, halfvec_send(near) as sent from entry_vector where tenant_id = 'acme' order by 1 limit 1`,
    )
    assert.ok(row)
    // As stored: without the header, in the byte order of the machine.
    const bytes = Buffer.from((row.sent as Buffer).subarray(4)).swap16()
    const isKept = async () => {
      await run(database.url, 'checkpoint')
      const [file] = await run(
        database.url,
        `select pg_read_binary_file(pg_relation_filepath('entry_vector_near_32')) as bytes`,
      )
      assert.ok(file)
      return (file.bytes as Buffer).includes(bytes)
    }
    assert.equal(await isKept(), true, 'the check can find it')
    const erasures = [{ memoryRef, entryId: row.entry_id as string, version: 1 }]
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    await run(database.url, 'vacuum entry_vector')
    assert.equal(await isKept(), false)
  } finally {
    await storage.close()
    await database.drop()
  }
})

test(
  'vectors from before the extension get their copies without the embedder, and are found meanwhile',
  skip,
  async () => {
    const database = await createEmptyDatabase()
    const { storage: before, space, made } = await fill(database.url, 32, { 'acme/notes': 5 })
    await before.close()
    // As if the extension had been missing until now.
    await run(database.url, 'alter table entry_vector drop column near')
    const storage = await open(database.url)
    try {
      assert.equal(storage.vectors.method(), 'hnsw')
      const vector = made.get('acme/notes 3') ?? new Float32Array(32)
      const query = { tenantId, memoryRef, space, vector, position: 1_000, now: 0, where: undefined }
      const nearest = async () =>
        (await storage.vectors.nearest({ ...query, access: fullAccess, limit: 1 })).map(
          ({ version }) => version.content,
        )
      assert.deepEqual(await nearest(), ['acme/notes 3'])
      assert.equal(await storage.vectors.begin(tenantId, space), 0, 'all texts are examined again')
      const { versions } = await storage.vectors.pending({ tenantId, space, madeSince: 0, after: start, limit: 100 })
      assert.equal(versions.length, 5)
      const contentHashes = versions.map(({ content }) => shortSha256(content))
      const known = await storage.vectors.known({ tenantId, space, madeSince: 0, contentHashes })
      assert.equal(known.size, 5)
      const again = versions.map((version) => {
        const contentHash = shortSha256(version.content)
        return { ...version, contentHash, vector: known.get(contentHash) ?? vector }
      })
      await storage.vectors.save(tenantId, space, 2, again)
      assert.deepEqual(await run(database.url, 'select 1 from entry_vector where near is null'), [])
      assert.deepEqual(await nearest(), ['acme/notes 3'])
    } finally {
      await storage.close()
      await database.drop()
    }
  },
)

// Search by meaning in one ref with many vectors: recall beside an exact comparison, and durations.
// node bench/vectors.ts [--count 100000] [--queries 200] [--postgres URL]
//
// The vectors are those that the offline embedder made for the questions and texts of `npm run bench:recall -- --embedder`, which keeps them in the
// temporary folder. The rest are mixtures of three of them. Without that folder they are clusters of random directions.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { retrieve } from '../src/app/provenance/retrieve.ts'
import { Tenant } from '../src/app/tenant.ts'
import { fullAccess } from '../src/core/entries/access.ts'
import type { EntryVersion } from '../src/core/entries/entry.ts'
import type { EntryFilter } from '../src/core/filter/filter.ts'
import { limits } from '../src/core/limits.ts'
import { defaultClassification } from '../src/core/provenance/category.ts'
import { cosineSimilarity, normaliseVector, vectorFromBytes } from '../src/core/search/vectors.ts'
import { composeEngine, openStorage } from '../src/open.ts'
import type { Storage } from '../src/ports/storage.ts'
import { createRandom } from '../test/support/random.ts'
import { createZipfWords } from './zipf-words.ts'

const { values } = parseArgs({
  options: { count: { type: 'string' }, queries: { type: 'string' }, postgres: { type: 'string' } },
})
const count = Number(values.count ?? 100_000)
const queryCount = Number(values.queries ?? 200)
const random = createRandom(5)
const words = createZipfWords(7)
const tenantId = 'default'
const subject = 'ada'
const memoryRef = `subject:${subject}`
const found = 10
const madeFolder = join(tmpdir(), 'colophon-recall-vectors')

const { name, take } = createVectors()
const queries = Array.from({ length: queryCount }, take)
const space = { model: 'bench', dimensions: queries[0]?.length ?? 0 }

const folder = mkdtempSync(join(tmpdir(), 'colophon-vectors-'))
const place = values.postgres === undefined ? { path: join(folder, 'colophon.db') } : { databaseUrl: values.postgres }
const storage = await openStorage(place, Date.now)
const { engine, close } = composeEngine(storage, nodeSystem(), 'bench', null)
try {
  const byId = await fill(storage)
  console.log(`${count} vectors of ${space.dimensions} numbers: ${name}. Method: ${storage.vectors.method()}`)
  const position = (await storage.clock(tenantId))?.position ?? 0
  const ask = (vector: Float32Array, where?: EntryFilter) =>
    storage.vectors.nearest({
      ...{ tenantId, memoryRef, space, vector, position, where },
      ...{ now: Date.now(), access: fullAccess, limit: limits.searchNearFoundMax },
    })
  const first = performance.now()
  await ask(queries[0] as Float32Array)
  console.log(`first search: ${(performance.now() - first).toFixed(0)} ms`)
  // One of a hundred and one of ten thousand entries.
  const filters: Readonly<Record<string, (EntryFilter & { kind: 'text' }) | undefined>> = {
    'no filter': undefined,
    'one in 100': { kind: 'text', field: 'tag', in: ['hundred-7'] },
    'one in 10,000': { kind: 'text', field: 'tag', in: ['rare'] },
  }
  for (const [title, where] of Object.entries(filters)) await measure(title, where)
  await measureRetrieve()

  async function measure(title: string, where: (EntryFilter & { kind: 'text' }) | undefined): Promise<void> {
    const isAll = where === undefined
    const asked = isAll ? queries : queries.slice(0, Math.ceil(queries.length / 10))
    const times: number[] = []
    const exactTimes: number[] = []
    let hits = 0
    let wanted = 0
    let cpu = 0
    const answers: { readonly query: Float32Array; readonly ids: ReadonlySet<string> }[] = []
    for (const query of asked) {
      const from = performance.now()
      const used = process.cpuUsage()
      const near = await ask(query, where)
      times.push(performance.now() - from)
      cpu += cpuSince(used)
      answers.push({ query, ids: new Set(near.slice(0, found).map(({ version }) => version.entryId)) })
    }
    // Afterwards: it needs all vectors in memory, and would slow the searches down.
    for (const { query, ids } of answers) {
      const exactFrom = performance.now()
      const compared = [...byId].filter(([, { tags }]) => isAll || tags.some((tag) => where.in.includes(tag)))
      const all = compared.map(([id, { vector }]) => ({ id, similarity: cosineSimilarity(query, vector) }))
      exactTimes.push(performance.now() - exactFrom)
      const exact = all.sort((a, b) => b.similarity - a.similarity).slice(0, found)
      hits += exact.filter(({ id }) => ids.has(id)).length
      wanted += exact.length
    }
    console.log(
      `${title}: recall@${found} ${(hits / wanted).toFixed(4)}, ${spread(times)}, processor ${(cpu / asked.length).toFixed(1)} ms; comparing all in memory ${spread(exactTimes)}`,
    )
  }
} finally {
  await close()
  rmSync(folder, { recursive: true })
}

/** Retrieval with and without vectors, in turns. */
async function measureRetrieve(): Promise<void> {
  let at = 0
  const embedQuery = async () => ({ space, vector: queries[at++ % queries.length] })
  const withVectors = new Tenant({ ...engine, host: { ...engine.host, embeddings: { embedQuery } as never } }, tenantId)
  const times: { readonly words: number[]; readonly both: number[] } = { words: [], both: [] }
  const cpu = new Map<number[], number>()
  for (let nth = 0; nth < queryCount + 20; nth++) {
    const query = words.sentence(6)
    for (const [tenant, into] of [
      [engine.tenant(tenantId), times.words],
      [withVectors, times.both],
    ] as const) {
      const from = performance.now()
      const used = process.cpuUsage()
      await retrieve(tenant as Tenant, { subject, query, limit: 10 })
      if (nth < 20) continue
      into.push(performance.now() - from)
      cpu.set(into, (cpu.get(into) ?? 0) + cpuSince(used))
    }
  }
  const shown = (of: number[]) => `${spread(of)}, processor ${((cpu.get(of) ?? 0) / queryCount).toFixed(1)} ms`
  console.log(`retrieve, six words: by words ${shown(times.words)}; with vectors ${shown(times.both)}`)
}

async function fill({ vectors }: Storage) {
  const byId = new Map<string, { readonly vector: Float32Array; readonly tags: readonly string[] }>()
  for (let at = 0; at < count; at += 1_000) {
    const puts = Array.from({ length: Math.min(1_000, count - at) }, (_, nth) => ({
      ...{ memoryRef, entryId: engine.system.newId('mem'), content: words.sentence(12), expiresAt: null, subject },
      tags: [`hundred-${(at + nth) % 100}`, ...((at + nth) % 10_000 === 17 ? ['rare'] : [])],
      ...{ origin: { kind: 'api' as const }, salt: engine.system.newSalt() },
      classification: { ...defaultClassification, sessionId: `conversation-${Math.floor((at + nth) / 200)}` },
    }))
    await engine.tenant(tenantId).commit({ kind: 'memory.written', puts }, { call: { operation: 'bench' } })
    for (const { entryId, tags } of puts) byId.set(entryId, { vector: take(), tags })
  }
  let after = { recordedPosition: 0, entryId: '', version: 0 }
  for (;;) {
    const { versions, last } = await vectors.pending({ tenantId, space, madeSince: 0, after, limit: 500 })
    const made = versions.map((version: EntryVersion) => {
      const { vector = new Float32Array(space.dimensions) } = byId.get(version.entryId) ?? {}
      return { ...version, contentHash: version.entryId, vector }
    })
    await vectors.save(tenantId, space, 1, made)
    if (last === null) break
    after = last
  }
  // Makes the index on PostgreSQL, of all vectors together.
  const from = performance.now()
  await vectors.begin(tenantId, space)
  console.log(`stored; the index took ${((performance.now() - from) / 1_000).toFixed(1)} s`)
  return byId
}

function createVectors(): { readonly name: string; readonly take: () => Float32Array } {
  const files = existsSync(madeFolder) ? readdirSync(madeFolder).sort() : []
  if (files.length < 1_000) return createClusters(512)
  const made = files.map((file) => vectorFromBytes(readFileSync(join(madeFolder, file))))
  const one = () => made[Math.floor(random() * made.length)] as Float32Array
  const unused = made.toSorted(() => random() - 0.5)
  return {
    name: `${files.length} of the offline embedder, the rest mixtures of three of them`,
    take() {
      const next = unused.pop()
      if (next) return next
      const [a, b, c] = [one(), one(), one()]
      const [near, other] = [0.4 + random() / 2, random()]
      const mixed = a.map((x, at) => near * x + (1 - near) * (other * (b[at] ?? 0) + (1 - other) * (c[at] ?? 0)))
      return normaliseVector(mixed) ?? a
    },
  }
}

function createClusters(dimensions: number) {
  const gaussian = () => Math.sqrt(-2 * Math.log(random() || 1e-12)) * Math.cos(2 * Math.PI * random())
  const direction = () => Float32Array.from({ length: dimensions }, gaussian)
  const centres = Array.from({ length: 1_000 }, direction)
  return {
    name: '1,000 clusters of random directions',
    take() {
      const centre = centres[Math.floor(random() * centres.length)] as Float32Array
      return normaliseVector(centre.map((x) => x + gaussian())) ?? centre
    },
  }
}

/** Of this process, in milliseconds: on a busy machine the duration says little. */
function cpuSince(used: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(used)
  return (user + system) / 1_000
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contest, type Line } from '../../bench/peers/contest.ts'
import type { Opened } from '../../bench/peers/product.ts'
import { groups } from '../../bench/peers/products.ts'
import { renderPeers } from '../../bench/peers/report.ts'
import { startRival } from '../../bench/peers/rival.ts'
import { createTexts } from '../../bench/peers/texts.ts'
import { createWorkplace } from '../../bench/peers/work.ts'
import { createFolder } from '../support/temporary-folder.ts'

const [library] = groups
const group = library?.name ?? ''
const place = () => ({ folder: createFolder().path, databaseUrl: '' })
const short = { atOnce: 4, sliceMs: 1 }

/** Keeps everything in a map, as the simplest honest product would. */
function openMap(): Opened & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  const put = async (content: string) => {
    const id = String(kept.size)
    kept.set(id, content)
    return id
  }
  return {
    kept,
    put,
    get: async (id) => kept.get(id) ?? null,
    page: async () => [...kept.values()].slice(-50),
    search: async (words) => [...kept.values()].filter((content) => content.includes(words)),
    delete: async (id) => void kept.delete(id),
    fill: async (contents) => Promise.all(contents.map(put)),
    close: async () => {},
  }
}

test('Colophon does every task of the comparison in its own process, with correct results', async () => {
  const rival = startRival('Colophon', { fillMs: 60_000, sliceMs: 60_000 })
  const lines: Line[] = []
  try {
    await rival.fill(group, place(), 120)
    const options = { slices: 1, sliceMs: 5, only: '', slowMs: 60_000, onLine: (line: Line) => lines.push(line) }
    await contest(group, 120, [rival], options)
  } finally {
    await rival.close()
  }
  assert.equal(lines.length, 11)
  for (const { work, time, remark, found } of lines) {
    assert.equal(remark, null, work)
    assert.ok((time?.median ?? 0) > 0, work)
    assert.ok(found === null || found === 1, `${work} found ${found}`)
  }
  assert.match(renderPeers({}, lines, 1), /\| put, 16 at once \| [\d.]+ (µs|ms) \|/)
})

test('a product that exceeds the time limit is stopped, and the run continues without it', async () => {
  const rival = startRival('Colophon', { fillMs: 1, sliceMs: 1 })
  await rival.fill(group, place(), 50_000)
  assert.equal(rival.out, 'stopped after 0.001 s')
  assert.equal(await rival.slice('get', short), null)
  await rival.close()
})

test('a product that responds and does nothing gets a remark instead of a time', async () => {
  const honest = await createWorkplace(openMap(), 60)
  for (const work of ['get', 'list 50', 'put'] as const) {
    for (const timing of Object.values(await honest.slice(work, short))) assert.equal(timing.wrong, null, work)
  }
  assert.equal((await honest.slice('put, then find it', short))['put, then find it']?.found, 1)

  const forgetful = openMap()
  const idle = await createWorkplace({ ...forgetful, put: async () => 'nothing', delete: async () => {} }, 60)
  assert.match((await idle.slice('put', short)).put?.wrong ?? '', /acknowledged puts were lost/)
  forgetful.kept.clear()
  assert.equal((await idle.slice('get', short)).get?.wrong, 'get gave another text')
  assert.equal((await idle.slice('list 50', short))['list 50']?.wrong, 'a page had 0 memories')
  assert.equal((await idle.slice('search', short)).search?.found, 0)

  const keeping = await createWorkplace({ ...openMap(), delete: async () => {} }, 60)
  assert.match((await keeping.slice('put', short)).delete?.wrong ?? '', /were still there/)
})

test('texts are the same for the same seed, and each contains the words of its query', () => {
  const texts = createTexts(7)(200)
  assert.deepEqual(createTexts(7)(200), texts)
  for (const { content, words } of texts) assert.ok(content.includes(words))
})

test('every product states its durability, and every peer version is pinned', () => {
  for (const { products } of groups) {
    const [own, ...peers] = products
    assert.equal(own.package, null)
    for (const { durability, package: from } of peers) assert.ok(durability !== '' && from !== null)
  }
})

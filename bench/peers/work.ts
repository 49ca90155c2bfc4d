import { createRandom } from '../../test/support/random.ts'
import type { Opened } from './product.ts'
import { createTexts, type Text } from './texts.ts'

export const reads = ['get', 'list 50', 'search'] as const
const writes = ['put', 'delete'] as const
export const mixed = 'put, then find it'
export type Work = (typeof reads)[number] | (typeof writes)[number] | typeof mixed

/** Microseconds for one operation; `wrong` is the reason why the figure is invalid. */
export type Timing = { readonly microseconds: number; readonly wrong: string | null; readonly found: number | null }
export type Slice = Partial<Record<Work, Timing>>

/** How long a slice lasts, and how many concurrent callers there are, each waiting for its response. */
export type SliceOptions = { readonly atOnce: number; readonly sliceMs: number }

const putsMax = 4_000
const checkedMax = 32

/** One product with its memories: all calls are made here, and every response is checked. */
export async function createWorkplace(opened: Opened, size: number) {
  const fresh = createTexts(size + 1)
  const random = createRandom(size)
  const texts = createTexts(size)(size)
  const ids = await opened.fill(texts.map(({ content }) => content))
  const known = new Set(texts.map(({ content }) => content))
  const pick = () => Math.floor(random() * size)

  async function readSlice(work: (typeof reads)[number], options: SliceOptions): Promise<Slice> {
    let asked = 0
    let found = 0
    let wrong: string | null = null
    const once = async () => {
      const at = pick()
      const text = texts[at] as Text
      asked += 1
      if (work === 'get') {
        if ((await opened.get(ids[at] ?? '')) !== text.content) wrong = 'get gave another text'
      } else if (work === 'search') {
        const hits = await opened.search(text.words)
        if (hits.includes(text.content)) found += 1
      } else {
        const page = await opened.page()
        if (page.length !== Math.min(50, size)) wrong = `a page had ${page.length} memories`
        else if (!page.every((content) => known.has(content))) wrong = 'a page had an unknown text'
      }
    }
    const microseconds = await timed(once, options)
    return { [work]: { microseconds, wrong, found: work === 'search' ? found / asked : null } }
  }

  /** What was put is deleted again, so that all products keep their size. */
  async function writeSlice(options: SliceOptions): Promise<Slice> {
    const drafts = fresh(putsMax)
    const stored: { id: string; content: string }[] = []
    const putOne = async (_turn: number, { content }: Text) => {
      stored.push({ id: await opened.put(content), content })
    }
    const put = await timedOver(drafts, putOne, options)
    const checked = stored.slice(-checkedMax)
    let lost = 0
    for (const { id, content } of checked) if ((await opened.get(id)) !== content) lost += 1
    const removed = await timedOver(stored, (_turn, { id }) => opened.delete(id), { ...options, sliceMs: Infinity })
    let left = 0
    for (const { id } of checked) if ((await opened.get(id)) !== null) left += 1
    const lostText = lost > 0 ? `${lost} of ${checked.length} acknowledged puts were lost` : null
    const leftText = left > 0 ? `${left} of ${checked.length} deleted memories were still there` : null
    return {
      put: { microseconds: put, wrong: lostText, found: null },
      delete: {
        microseconds: removed,
        wrong: leftText ?? (lost > 0 ? 'there was nothing to delete' : null),
        found: null,
      },
    }
  }

  async function mixedSlice(options: SliceOptions): Promise<Slice> {
    const stored: string[] = []
    let found = 0
    const putAndFind = async (_turn: number, { content, words }: Text) => {
      stored.push(await opened.put(content))
      if ((await opened.search(words)).includes(content)) found += 1
    }
    const microseconds = await timedOver(fresh(putsMax), putAndFind, options)
    for (const id of stored) await opened.delete(id)
    return { [mixed]: { microseconds, wrong: null, found: found / stored.length } }
  }

  return {
    slice(work: Work, options: SliceOptions): Promise<Slice> {
      if (work === mixed) return mixedSlice(options)
      return work === 'put' || work === 'delete' ? writeSlice(options) : readSlice(work, options)
    },
    close: () => opened.close(),
  }
}

export type Workplace = Awaited<ReturnType<typeof createWorkplace>>

/** Callers work until the time has passed; each of them calls at least once. */
async function timed(once: () => Promise<void>, { atOnce, sliceMs }: SliceOptions): Promise<number> {
  let operations = 0
  const began = performance.now()
  const caller = async () => {
    do {
      await once()
      operations += 1
    } while (performance.now() - began < sliceMs)
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return ((performance.now() - began) * 1_000) / operations
}

/** The same over a list, until its end if that comes first. */
async function timedOver<Item>(
  items: readonly Item[],
  once: (turn: number, item: Item) => Promise<void>,
  { atOnce, sliceMs }: SliceOptions,
): Promise<number> {
  let next = 0
  let operations = 0
  const began = performance.now()
  const caller = async () => {
    do {
      const turn = next++
      const item = items[turn]
      if (item === undefined) return
      await once(turn, item)
      operations += 1
    } while (performance.now() - began < sliceMs)
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return ((performance.now() - began) * 1_000) / operations
}

import type { MemoryEntry } from '../src/index.ts'
import { tagNames } from './entries.ts'
import type { Side } from './pair.ts'
import type { Row } from './raw-sqlite.ts'
import type { Store } from './sqlite-store.ts'
import type { WorkId } from './works.ts'

type Answer = MemoryEntry | null | { readonly entries: readonly MemoryEntry[] }

/** What a read of ours needs. */
export type OurStore = Pick<Store, 'memory' | 'memoryRef' | 'ids' | 'position'>

/** One kind of read on each side. The turn varies the query, in the same way on both sides. */
export type Read = {
  readonly id: WorkId
  readonly growthId: WorkId | null
  readonly operations: number
  ours(store: OurStore): Promise<(turn: number) => Promise<Answer>>
  raw(store: Store): (turn: number) => Row | undefined | Row[]
}

const pageEntries = 50

export const reads: readonly Read[] = [
  {
    id: 'get',
    growthId: 'growthGet',
    operations: 4_000,
    ours: async (store) => (turn) => store.memory.get(store.memoryRef, at(store.ids, turn)),
    raw: (store) => (turn) => store.raw.get(at(store.ids, turn)),
  },
  {
    id: 'list',
    growthId: 'growthList',
    operations: 300,
    ours: async (store) => () => store.memory.list(store.memoryRef, { limit: pageEntries }),
    raw: (store) => () => store.raw.list(pageEntries),
  },
  {
    id: 'listTag',
    growthId: 'growthListTag',
    operations: 300,
    ours: async (store) => (turn) =>
      store.memory.list(store.memoryRef, { limit: pageEntries, tag: at(tagNames, turn) }),
    raw: (store) => (turn) => store.raw.listTag(at(tagNames, turn), pageEntries),
  },
  {
    id: 'listSnapshot',
    growthId: 'growthListSnapshot',
    operations: 300,
    ours: async (store) => () => store.memory.list(store.memoryRef, { limit: pageEntries, asOf: halfWay(store) }),
    raw: (store) => () => store.raw.listAt(halfWay(store), halfWay(store) + 1, 0, pageEntries),
  },
  {
    id: 'listCursor',
    growthId: null,
    operations: 300,
    async ours(store) {
      const { cursor = '' } = await store.memory.list(store.memoryRef, { limit: pageEntries })
      return () => store.memory.list(store.memoryRef, { limit: pageEntries, cursor })
    },
    raw(store) {
      const last = store.raw.list(pageEntries).at(-1)
      const { created_position, ordinal } = last ?? { created_position: 0, ordinal: 0 }
      return () => store.raw.listAt(store.position, created_position, ordinal, pageEntries)
    },
  },
]

export async function oursSide(read: Read, store: OurStore): Promise<Side> {
  const ask = await read.ours(store)
  let turn = 0
  return {
    async run() {
      for (let i = 0; i < read.operations; i++) await ask(turn++)
    },
  }
}

export function rawSide(read: Read, store: Store): Side {
  const ask = read.raw(store)
  let turn = 0
  return {
    run() {
      for (let i = 0; i < read.operations; i++) ask(turn++)
    },
  }
}

/** Two sides that find different entries do different work, and their ratio would mean nothing. */
export async function checkSameAnswers(read: Read, store: Store): Promise<void> {
  const [ours, raw] = [await read.ours(store), read.raw(store)]
  for (let turn = 0; turn < 20; turn++) {
    const [mine, theirs] = [idsOfOurs(await ours(turn)), idsOfRaw(raw(turn))]
    if (mine.length === 0 || mine.join() !== theirs.join())
      throw new Error(
        `"${read.id}" at ${store.size} finds ${mine.length} entries, raw finds ${theirs.length} or others.`,
      )
  }
}

function idsOfOurs(answer: Answer): string[] {
  if (answer === null) return []
  return 'entries' in answer ? answer.entries.map((entry) => entry.id) : [answer.id]
}

function idsOfRaw(answer: Row | undefined | Row[]): string[] {
  return [answer ?? []].flat().map((row) => row.entry_id)
}

function at<T>(list: readonly T[], turn: number): T {
  return list[turn % list.length] as T
}

function halfWay(store: OurStore): number {
  return Math.ceil(store.position / 2)
}

import { createDrafts, type Draft, memoryRef, type RawEntry, toRawEntries } from './entries.ts'
import type { Side } from './pair.ts'
import type { RawSqlite } from './raw-sqlite.ts'
import type { Store } from './sqlite-store.ts'
import type { WorkId } from './works.ts'

/** One kind of write: how each side does one slice of it. Both sides store the same texts and grow alike. */
export type Write = {
  readonly id: WorkId
  readonly operations: number
  ours(store: Store): Side
  raw(store: Store): Side
}

export const callers = 32
const batchEntries = 100
export const singles = 200
export const rounds = 24
const batches = 12

export const writes: readonly Write[] = [
  {
    id: 'putOne',
    operations: singles,
    ours: ({ memory }) =>
      withDrafts(singles, async (drafts) => {
        for (const draft of drafts) await memory.put(memoryRef, draft)
      }),
    raw: ({ raw }) => rawPuts(raw, singles, 1),
  },
  {
    id: 'putMany',
    operations: rounds * callers,
    ours: ({ memory }) =>
      withDrafts(rounds * callers, (drafts) => inCallers(drafts, (draft) => memory.put(memoryRef, draft))),
    raw: ({ raw }) => rawPuts(raw, rounds * callers, callers),
  },
  {
    id: 'putBatch',
    operations: batches * batchEntries,
    ours: ({ memory }) =>
      withDrafts(batches * batchEntries, async (drafts) => {
        for (const batch of chunks(drafts, batchEntries)) await memory.putMany(memoryRef, batch)
      }),
    raw: ({ raw }) =>
      withDrafts(batches * batchEntries, (drafts) => {
        for (const batch of chunks(drafts, batchEntries)) raw.putMany(raw.entriesOf(batch))
      }),
  },
  { id: 'delete', operations: singles, ours: oursDeletes, raw: rawDeletes },
]

/** Raw puts in transactions of `together`: one at a time, or as a group commit. */
function rawPuts(raw: RawSqlite, count: number, together: number): Side {
  return withDrafts(count, (drafts) => {
    for (const group of chunks(drafts, together)) raw.putEach(raw.entriesOf(group))
  })
}

/** Every caller waits for its own call before it makes the next, as the requests of 32 connections do. */
export async function inCallers<T>(
  work: readonly T[],
  call: (item: T, caller: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = caller; i < work.length; i += callers) await call(work[i] as T, caller)
    }),
  )
}

function oursDeletes({ memory }: Store): Side {
  const drafts = createDrafts(3)
  let ids: string[] = []
  return {
    async prepare() {
      const { entries } = await memory.putMany(memoryRef, drafts(singles))
      ids = entries.map((entry) => entry.id)
    },
    async run() {
      for (const id of ids) await memory.delete(memoryRef, id)
    },
  }
}

function rawDeletes({ raw }: Store): Side {
  const drafts = createDrafts(3)
  let entries: RawEntry[] = []
  return {
    prepare() {
      entries = raw.entriesOf(drafts(singles))
      raw.putMany(entries)
    },
    run() {
      for (const { id } of entries) raw.delete(id)
    },
  }
}

/** The texts of each slice are made ahead, from the same seed on both sides. */
export function withDrafts(count: number, run: (drafts: Draft[]) => void | Promise<void>): Side {
  return prepared(count, (drafts) => drafts, run)
}

export function withEntries(count: number, run: (entries: RawEntry[]) => void | Promise<void>): Side {
  return prepared(count, toRawEntries, run)
}

function prepared<T>(count: number, make: (drafts: Draft[]) => T[], run: (items: T[]) => void | Promise<void>): Side {
  const drafts = createDrafts(2)
  let items: T[] = []
  return {
    prepare() {
      items = make(drafts(count))
    },
    run: () => run(items),
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

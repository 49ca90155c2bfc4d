import { join } from 'node:path'
import { openColophon } from '../src/index.ts'
import { bytesOfSqlite } from './entry-bytes.ts'
import type { Recorder } from './recorder.ts'
import { checkSameAnswers, oursSide, rawSide, reads } from './sqlite-reads.ts'
import { openStore, type Store } from './sqlite-store.ts'
import { writes } from './sqlite-writes.ts'

/** All stores are filled before anything is timed, and all reads come before the writes: they are timed at exactly N. */
export async function benchSqlite(recorder: Recorder, folder: string, sizes: readonly number[]): Promise<void> {
  if (!recorder.wants('sqliteBytes', ...reads.map(({ id }) => id), ...writes.map(({ id }) => id))) return
  const [smallest = 1_000] = sizes
  const largest = sizes.at(-1) ?? smallest
  const empty = join(folder, 'empty.db')
  await (await openColophon({ path: empty })).close()
  const stores: Store[] = []
  try {
    for (const size of sizes) stores.push(await openStore(folder, size))
    const grown = bytesOfSqlite(join(folder, `ours-${largest}.db`)) - bytesOfSqlite(empty)
    recorder.note('sqliteBytes', [grown / largest], largest)
    for (const store of stores) await benchReads(recorder, store)
    if (stores[0]) await benchWrites(recorder, stores[0])
  } finally {
    for (const store of stores) await store.close()
  }
}

async function benchReads(recorder: Recorder, store: Store): Promise<void> {
  for (const read of reads) {
    await checkSameAnswers(read, store)
    await recorder.compare(read.id, {
      ...{ entries: store.size, operations: read.operations, referenceDoesLess: true },
      judged: await oursSide(read, store),
      reference: rawSide(read, store),
    })
  }
}

async function benchWrites(recorder: Recorder, store: Store): Promise<void> {
  for (const { id, operations, ours, raw } of writes) {
    await recorder.compare(id, {
      ...{ entries: store.size, operations, referenceDoesLess: true },
      judged: ours(store),
      reference: raw(store),
    })
  }
}

import type { Recorder } from './recorder.ts'
import { checkSameAnswers, oursSide, rawSide, reads } from './sqlite-reads.ts'
import { openStore, type Store } from './sqlite-store.ts'
import { writes } from './sqlite-writes.ts'

const section = 'SQLite: ours beside raw'
const growthTimesMax = 1.5
const writeShareMin = 0.8

/** All stores are filled before anything is timed, and all reads come before the writes: they are timed at exactly N. */
export async function benchSqlite(recorder: Recorder, folder: string, sizes: readonly number[]): Promise<void> {
  const stores: Store[] = []
  try {
    for (const size of sizes) stores.push(await openStore(folder, size))
    for (const store of stores) await benchReads(recorder, store)
    const [smallest, largest] = [stores[0], stores.at(-1)]
    if (smallest && largest && smallest !== largest) await benchGrowth(recorder, smallest, largest)
    for (const store of stores) await benchWrites(recorder, store)
  } finally {
    for (const store of stores) await store.close()
  }
}

async function benchReads(recorder: Recorder, store: Store): Promise<void> {
  for (const read of reads) {
    await checkSameAnswers(read, store)
    await recorder.compare({
      ...{
        section,
        work: read.work,
        entries: store.size,
        shown: 'time',
        target: read.timesMax,
        referenceDoesLess: true,
      },
      operations: read.operations,
      judged: await oursSide(read, store),
      reference: rawSide(read, store),
    })
  }
}

/** Small and large in turns as well: two sizes that were timed minutes apart would compare two states of the machine. */
async function benchGrowth(recorder: Recorder, smallest: Store, largest: Store): Promise<void> {
  for (const read of reads) {
    await recorder.compare({
      section: `Growth of reads: ours at the largest size beside ours at ${smallest.size.toLocaleString('en-US')}`,
      ...{ work: read.work, entries: largest.size, shown: 'time', target: growthTimesMax },
      operations: read.operations,
      judged: await oursSide(read, largest),
      reference: await oursSide(read, smallest),
    })
  }
}

async function benchWrites(recorder: Recorder, store: Store): Promise<void> {
  for (const write of writes) {
    await recorder.compare({
      ...{
        section,
        work: write.work,
        entries: store.size,
        shown: 'rate',
        target: writeShareMin,
        referenceDoesLess: true,
      },
      operations: write.operations,
      judged: write.ours(store),
      reference: write.raw(store),
    })
  }
}

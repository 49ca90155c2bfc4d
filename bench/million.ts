import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openColophon } from '../src/index.ts'
import { fillMemories, subjectRef, tenantId } from './million-store.ts'
import type { Recorder } from './recorder.ts'
import { benchSearch } from './search.ts'
import { type OurStore, oursSide, reads } from './sqlite-reads.ts'
import { callers, inCallers, rounds, singles, withDrafts } from './sqlite-writes.ts'

export type MillionOptions = { readonly some: number; readonly many: number; readonly queries: number }

/** One person with a million memories: retrievals on the way and at the end, then puts and reads beside a ref of a thousand. */
export async function benchMillion(
  recorder: Recorder,
  folder: string,
  { some, many, queries: count }: MillionOptions,
): Promise<void> {
  const isSearched = recorder.wants('searchRare', 'searchPlain', 'searchCommon', 'searchFiltered')
  if (
    !isSearched &&
    !recorder.wants('growthPut', 'growthPutMany', 'growthGet', 'growthList', 'growthListTag', 'growthListSnapshot')
  )
    return
  const dataDir = join(folder, 'million')
  mkdirSync(dataDir)
  const path = join(dataDir, 'colophon.db')
  const ids = await fillMemories(path, 0, some)
  if (isSearched) await benchSearch(recorder, dataDir, { entries: some, count })
  const began = performance.now()
  ids.push(...(await fillMemories(path, some, many)))
  console.error(
    `${(many - some).toLocaleString('en-US')} more memories stored in ${((performance.now() - began) / 1_000).toFixed(0)} s`,
  )
  if (isSearched) await benchSearch(recorder, dataDir, { entries: many, count })
  const smallPath = join(folder, 'thousand.db')
  const smallIds = await fillMemories(smallPath, 0, 1_000)
  await benchGrowth(recorder, many, { path: smallPath, ids: smallIds }, { path, ids })
}

type Filled = { readonly path: string; readonly ids: readonly string[] }

/** Small and large in turns as well: two sizes that were timed minutes apart would compare two states of the machine. */
async function benchGrowth(recorder: Recorder, entries: number, small: Filled, large: Filled): Promise<void> {
  await using smallest = await openColophon({ path: small.path })
  await using largest = await openColophon({ path: large.path })
  const storeOf = async (colophon: typeof smallest, { ids }: Filled): Promise<OurStore> => {
    const memory = colophon.memory(tenantId)
    return { memoryRef: subjectRef, memory, ids, position: (await memory.snapshot()).position }
  }
  const [few, many] = [await storeOf(smallest, small), await storeOf(largest, large)]
  for (const read of reads) {
    if (read.growthId === null) continue
    await recorder.compare(read.growthId, {
      ...{ entries, operations: read.operations },
      judged: await oursSide(read, many),
      reference: await oursSide(read, few),
    })
  }
  // Only a run may write to the memories of a person directly.
  const run = { runId: 'bench', sequence: 1 }
  const one = ({ memory }: OurStore) =>
    withDrafts(singles, async (drafts) => {
      for (const draft of drafts) await memory.put(subjectRef, draft, { run })
    })
  const together = ({ memory }: OurStore) =>
    withDrafts(rounds * callers, (drafts) => inCallers(drafts, (draft) => memory.put(subjectRef, draft, { run })))
  await recorder.compare('growthPut', { entries, operations: singles, judged: one(many), reference: one(few) })
  await recorder.compare('growthPutMany', {
    ...{ entries, operations: rounds * callers },
    judged: together(many),
    reference: together(few),
  })
}

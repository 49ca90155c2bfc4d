import { openConnections } from './http-load.ts'
import { subject } from './million-store.ts'
import type { Recorder } from './recorder.ts'
import { benchKey, startServer } from './servers.ts'
import type { WorkId } from './works.ts'
import { createZipfWords } from './zipf-words.ts'

const words = createZipfWords(17)
const warmups = 20

const queries = {
  searchRare: () => ({ query: words.rareWords() }),
  searchPlain: () => ({ query: words.sentence(6) }),
  searchCommon: () => ({ query: words.commonest() }),
  searchFiltered: () => ({ query: words.rareWords(), categories: ['fact'], time_filter_days: 1 }),
} satisfies Partial<Record<WorkId, () => object>>

/** The 95th percentile of retrievals over HTTP, one after the other, from the memories that the database has. */
export async function benchSearch(
  recorder: Recorder,
  dataDir: string,
  { entries, count }: { entries: number; count: number },
): Promise<void> {
  const server = await startServer(['dist/cli/main.js', 'serve'], {
    COLOPHON_PORT: '0',
    COLOPHON_DATA_DIR: dataDir,
    COLOPHON_BOOTSTRAP_KEY: benchKey,
    COLOPHON_LOG_LEVEL: 'error',
  })
  const { connections, close } = await openConnections(server.url, 1)
  let found = 0
  const timed = async (question: object): Promise<number> => {
    const body = JSON.stringify({ external_user_id: subject, limit: 10, ...question })
    const from = performance.now()
    const answer = await connections[0]?.ask('POST', '/v1/memories/retrieve', body)
    const took = performance.now() - from
    if (answer?.includes('"data":[{')) found += 1
    return took
  }
  try {
    for (const [id, ask] of Object.entries(queries)) {
      if (!recorder.wants(id as WorkId)) continue
      found = 0
      for (let at = 0; at < warmups; at++) await timed(ask())
      // In five parts: the spread is that of their percentiles.
      const parts: number[] = []
      for (let part = 0; part < 5; part++) {
        const times: number[] = []
        for (let at = 0; at < count / 5; at++) times.push(await timed(ask()))
        times.sort((a, b) => a - b)
        parts.push(times[Math.floor(times.length * 0.95)] ?? Number.NaN)
      }
      // A search that finds nothing would look fast.
      if (found < count / 2) throw new Error(`Only ${found} retrievals found something.`)
      recorder.note(id as WorkId, parts, entries)
    }
  } finally {
    close()
    server.child.removeAllListeners('exit')
    server.child.kill('SIGTERM')
    await new Promise((resolve) => server.child.once('exit', resolve))
  }
}

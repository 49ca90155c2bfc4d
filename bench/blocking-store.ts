import { join } from 'node:path'
import { openColophon } from '../src/index.ts'
import { createZipfWords } from './zipf-words.ts'

/** The tenant of the bootstrap key. */
const tenantId = 'default'
const dayMs = 24 * 60 * 60 * 1_000
export const subject = 'ada'

/** Fills the database of a server that is not started yet: one large ref, and the rows that the long operations work on. */
export async function fillBlockingStore(dataDir: string, entries: number): Promise<void> {
  // Two days ago: what expired yesterday could be written then, and the statistics of the week include it.
  const now = Date.now() - 2 * dayMs
  const words = createZipfWords(11)
  await using colophon = await openColophon({ path: join(dataDir, 'colophon.db'), now: () => now })
  const memory = colophon.memory(tenantId)
  const share = (part: number) => Math.max(1_000, Math.round(entries * part))
  const draft = (more: object = {}) => ({ content: words.sentence(40), tags: ['note', 'bench'], ...more })
  const fill = async (count: number, refOf: (at: number) => string, more: object = {}, batch = 1_000) => {
    for (let at = 0; at < count; at += batch)
      await memory.putMany(
        refOf(at),
        Array.from({ length: Math.min(batch, count - at) }, () => draft(more)),
      )
  }
  await fill(share(0.6), () => 'large')
  await fill(share(0.05), () => 'old')
  await fill(share(0.05), () => `notes/${subject}`, { subject })
  await fill(share(0.05), () => 'expiring', { expiresAt: new Date(now + dayMs).toISOString() })
  // A position for each, as agents write: the audit of the others has one record per thousand.
  await fill(share(0.05), (at) => `small-${at}`, {}, 10)
  const single = async (caller: number, callers: number) => {
    for (let at = caller; at < share(0.2); at += callers) await memory.put('single', draft())
  }
  await Promise.all(Array.from({ length: 256 }, (_, caller) => single(caller, 256)))
}

import type { Client, MemoryEntry } from '../client/index.ts'

/** How many memories of each of the two moments are compared. */
const comparedMax = 500
const pageSize = 100

type MemoryDifference = {
  readonly change: 'added' | 'changed' | 'ended'
  readonly memory: MemoryEntry
  /** The content at the earlier moment. */
  readonly before?: string
}

/** What differs between a ref at an earlier moment and now. */
export async function changesSince(
  client: Client,
  ref: string,
  since: string,
): Promise<{ readonly changes: MemoryDifference[]; readonly isComplete: boolean }> {
  const [earlier, now] = await Promise.all([entriesOf(client, ref, since), entriesOf(client, ref, undefined)])
  return {
    changes: differences(earlier, now),
    isComplete: earlier.length < comparedMax && now.length < comparedMax,
  }
}

/** The differences of two snapshots: what was added or changed, newest first, then what ended. */
function differences(earlier: readonly MemoryEntry[], now: readonly MemoryEntry[]): MemoryDifference[] {
  const before = new Map(earlier.map((entry) => [entry.id, entry]))
  const current = new Set(now.map(({ id }) => id))
  const present = now.flatMap((memory): MemoryDifference[] => {
    const old = before.get(memory.id)
    if (old === undefined) return [{ change: 'added', memory }]
    return old.content === memory.content ? [] : [{ change: 'changed', memory, before: old.content }]
  })
  const gone = earlier.filter(({ id }) => !current.has(id))
  return [...present, ...gone.map((memory): MemoryDifference => ({ change: 'ended', memory }))]
}

async function entriesOf(client: Client, ref: string, asOf: string | undefined): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = []
  for await (const entry of client.memory.each(ref, { limit: pageSize, asOf })) {
    entries.push(entry)
    if (entries.length === comparedMax) break
  }
  return entries
}

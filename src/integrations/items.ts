import {
  type Client,
  type EntryBatchResult,
  type EntryDraft,
  isClientError,
  type MemoryEntry,
} from '../client/index.ts'
import type { SourceCall, SourceWriter } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import { markOf, type SaidBy } from '../core/provenance/said-by.ts'

const pageSize = 500
/** Entries that one commit deletes. */
const deletesMax = 1_000

/** An item of a framework as the text of an entry. */
export function toContent(item: unknown): string {
  return JSON.stringify(item)
}

/** The item of an entry. A redaction can leave a text that is not JSON: then it is `{ text }`. */
export function toStoredItem<Item>({ content }: Pick<MemoryEntry, 'content'>): Item {
  try {
    return JSON.parse(content) as Item
  } catch {
    return { text: content } as Item
  }
}

/** The newest entries of a ref, oldest first, all at one position. What a framework stored it gets back, whatever its class is. */
export async function readEntries(
  client: Client,
  ref: string,
  { tag, limit = Number.POSITIVE_INFINITY }: { readonly tag?: string; readonly limit?: number } = {},
): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = []
  if (limit <= 0) return entries
  const page = { limit: Math.min(limit, pageSize), trustMin: 'untrusted' } as const
  const query = { ...page, ...(tag === undefined ? {} : { tag }) }
  for await (const entry of client.memory.each(ref, query)) {
    entries.push(entry)
    if (entries.length >= limit) break
  }
  return entries.reverse()
}

/** Lists of ids that one commit can delete. */
export function inDeletableBatches(entries: readonly Pick<MemoryEntry, 'id'>[]): string[][] {
  const batches: string[][] = []
  for (let at = 0; at < entries.length; at += deletesMax)
    batches.push(entries.slice(at, at + deletesMax).map(({ id }) => id))
  return batches
}

/** The value of the first tag that begins with a name. */
export function tagValue({ tags }: Pick<MemoryEntry, 'tags'>, name: string): string | undefined {
  return tags.find((tag) => tag.startsWith(name))?.slice(name.length)
}

/** The draft of an item, with the class and the role of what its author said. */
export function toDraft(content: string, tags: readonly string[], by: SaidBy): EntryDraft {
  const mark = markOf(by)
  return { ...mark, content, tags: [...tags, ...mark.tags] }
}

/** An event id has at most 256 characters, and refs and ids of frameworks can be longer. */
const eventIdMax = 200

/** The id of an event of a ref. Ids of events are unique in their service, so the ref is part of them. */
export function eventIdOf(ref: string, id: string): string {
  const whole = `${ref}:${id}`
  return whole.length <= eventIdMax ? whole : `sha256:${sha256(whole)}`
}

/**
 * Stores an entry, or the parts of one, under the id of its event. An entry that is stored under this id already stays as it is, and nothing is returned if its
 * content was another. The result of an entry that was deleted since has no entries.
 */
export async function storeOnce(
  writer: SourceWriter,
  ref: string,
  draft: EntryDraft | readonly EntryDraft[],
  call: SourceCall,
): Promise<EntryBatchResult | undefined> {
  try {
    return await writer.write(ref, { entries: [draft].flat() }, call)
  } catch (error) {
    if (!isClientError(error, 'source_event_payload_mismatch')) throw error
    return undefined
  }
}

/** When a framework says that something happened. A time that is no time, or is in the future, is left out. */
export function observedAt(time: string | number | Date | undefined): { observedAt?: string } {
  const at = time === undefined ? Number.NaN : new Date(time).getTime()
  return Number.isNaN(at) || at > Date.now() ? {} : { observedAt: new Date(at).toISOString() }
}

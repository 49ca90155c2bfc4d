import type { PutOperation } from '@langchain/langgraph-checkpoint'
import type { EntryDraft, MemoryEntry } from '../client/index.ts'
import { containsToolText } from '../core/provenance/said-by.ts'
import { toDraft as draftOf } from './items.ts'

/** An item of the store, as an entry holds it: the value is the content; namespace and key are in the tags. */
export type StoredItem = {
  readonly namespace: readonly string[]
  readonly key: string
  /** Null marks a deletion. */
  readonly value: Record<string, unknown> | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The tag of an item. Namespace and key are JSON, so `user-1` is not a prefix of `user-10`, and `a:b` is not `a`, `b`. */
export function idOf(namespace: readonly string[], key: string): string {
  return `item:${JSON.stringify([...namespace, key])}`
}

/** The tag that every item under a namespace prefix has. */
export function underTag(prefix: readonly string[]): string {
  return `under:${JSON.stringify(prefix)}`
}

/** The entry to store for a put. */
export function toDraft({ namespace, key, value }: PutOperation, createdAt: Date): EntryDraft {
  const prefixes = namespace.map((_, index) => underTag(namespace.slice(0, index + 1)))
  const tags = [idOf(namespace, key), `since:${createdAt.toISOString()}`, ...prefixes]
  return draftOf(JSON.stringify(value), tags, valueSaidBy(value))
}

/** A value is what the program made of what the model said, unless it has messages of tools. */
export function valueSaidBy(value: unknown): 'model' | 'other' {
  return containsToolText(value) ? 'other' : 'model'
}

/** The item that an entry holds. */
export function toItem({ content, tags, createdAt }: MemoryEntry): StoredItem {
  const tagged = (name: string) => tags.find((tag) => tag.startsWith(name))?.slice(name.length)
  const path = JSON.parse(tagged('item:') ?? '[""]') as string[]
  return {
    namespace: path.slice(0, -1),
    key: path.at(-1) ?? '',
    value: parseValue(content),
    createdAt: new Date(tagged('since:') ?? createdAt),
    updatedAt: new Date(createdAt),
  }
}

/** A redaction can leave a text that is not JSON. Then the text is the value. */
function parseValue(content: string): Record<string, unknown> | null {
  try {
    return JSON.parse(content) as Record<string, unknown> | null
  } catch {
    return { text: content }
  }
}

import type { PutOperation } from '@langchain/langgraph-checkpoint'
import type { EntryDraft, MemoryEntry } from '../client/index.ts'

/** How an item of the store lies in an entry: its value is the content, its place is in the tags. */
export type Stored = {
  readonly namespace: readonly string[]
  readonly key: string
  /** Null marks a deletion. */
  readonly value: Record<string, unknown> | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** As JSON, so that parts keep their ends: `user-1` is no beginning of `user-10`, and `a:b` is not `a`, `b`. */
export function idOf(namespace: readonly string[], key: string): string {
  return `item:${JSON.stringify([...namespace, key])}`
}

export function underTag(prefix: readonly string[]): string {
  return `under:${JSON.stringify(prefix)}`
}

export function toDraft({ namespace, key, value }: PutOperation, createdAt: Date): EntryDraft {
  const prefixes = namespace.map((_, index) => underTag(namespace.slice(0, index + 1)))
  return {
    content: JSON.stringify(value),
    tags: [idOf(namespace, key), `since:${createdAt.toISOString()}`, ...prefixes],
  }
}

export function toItem({ content, tags, createdAt }: MemoryEntry): Stored {
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

/** A secret that was taken out of the middle may leave something that is no JSON: then the text is the value. */
function parseValue(content: string): Record<string, unknown> | null {
  try {
    return JSON.parse(content) as Record<string, unknown> | null
  } catch {
    return { text: content }
  }
}

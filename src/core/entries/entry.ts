import { checkIdentifier, checkKnownKeys, checkText, parseInstant, toInstant, utf8Bytes } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Classification } from '../provenance/category.ts'
import { parseTags } from './tags.ts'

/** One memory as it crosses every wire: closed, no internal column may leak into it. */
export type MemoryEntry = {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
}

/** What a caller hands over to be remembered. */
export type EntryDraft = {
  readonly content: string
  readonly tags?: readonly string[] | undefined
  readonly expiresAt?: string | Date | undefined
  readonly subject?: string | undefined
}

/** Where an entry came from, in identifiers only. */
export type Origin =
  | { readonly kind: 'api'; readonly keyId?: string; readonly agentId?: string; readonly sourceEventId?: string }
  | {
      readonly kind: 'run' | 'session'
      readonly runId: string
      readonly sequence: number
      readonly nodeId?: string
      readonly agentId?: string
    }
  | {
      readonly kind: 'service'
      readonly service: string
      readonly sourceEventId?: string
      readonly keyId?: string
      readonly agentId?: string
    }
  | { readonly kind: 'compaction'; readonly compactionId: string }

/** Which entry, anywhere in a tenant. */
export type EntryKey = { readonly memoryRef: string; readonly entryId: string }

/**
 * Where an entry stands in its tenant's history: the position that created it and its place in that batch.
 * It never changes, it is unique in the tenant, and descending it is newest first.
 */
export type Place = { readonly createdPosition: number; readonly ordinal: number }

/** One stored version. Versions are inserted and ended, never rewritten and never reopened. */
export type EntryVersion = EntryKey &
  Place & {
    readonly version: number
    readonly content: string
    readonly tags: readonly string[]
    /** Random, stored beside the content and erased with it: without it the audit's digest of the content tells nothing. */
    readonly salt: string
    readonly createdAt: number
    readonly expiresAt: number | null
    readonly recordedPosition: number
    /** The position whose audit record has the digest of the text as it is stored now. */
    readonly digestPosition: number
    readonly endedPosition: number | null
    readonly endedReason: string | null
    readonly subject: string | null
    readonly origin: Origin
    /** What is known about it beyond its text; null for entries that were simply put. */
    readonly classification: Classification | null
  }

/** What stands for the rest of a version that is known by its key only. */
export const blankVersion = {
  tags: [],
  createdAt: 0,
  expiresAt: null,
  createdPosition: 0,
  ordinal: 0,
  endedPosition: null,
  endedReason: null,
  subject: null,
  classification: null,
} as const

export type ParsedDraft = {
  readonly content: string
  readonly tags: readonly string[]
  readonly expiresAt: number | null
  readonly subject: string | null
}

const draftKeys = ['content', 'tags', 'expiresAt', 'subject'] as const

/** That `expiresAt` lies in the future is checked when the entry is stored: a repeated call must still find its first answer. */
export function parseDraft(draft: unknown): ParsedDraft {
  checkKnownKeys('entry', draft ?? null, draftKeys)
  const { content, tags, expiresAt, subject } = draft as Record<(typeof draftKeys)[number], unknown>
  checkContent(content)
  const expires = expiresAt === undefined ? null : parseInstant('expiresAt', expiresAt)
  if (subject !== undefined) checkIdentifier('subject', subject, 'subjectCharactersMax', limits.subjectCharactersMax)
  return { content, tags: parseTags(tags), expiresAt: expires, subject: subject ?? null }
}

/** A memory says something: an empty text is a mistake of the client, on every path. */
export function checkContent(content: unknown): asserts content is string {
  checkText('content', content)
  if (content === '') throw invalid('content', 'must not be empty')
  checkContentSize(content)
}

export function checkContentSize(content: string, field = 'content'): void {
  // A UTF-16 unit is at most three UTF-8 bytes, so most texts need no counting.
  if (content.length * 3 <= limits.contentBytesMax || utf8Bytes(content) <= limits.contentBytesMax) return
  throw invalid(field, `must be at most ${limits.contentBytesMax} bytes of UTF-8`, {
    limit: 'contentBytesMax',
    max: limits.contentBytesMax,
  })
}

export function toMemoryEntry(version: EntryVersion): MemoryEntry {
  return {
    id: version.entryId,
    content: version.content,
    tags: version.tags,
    createdAt: toInstant(version.createdAt),
    ...(version.expiresAt === null ? {} : { expiresAt: toInstant(version.expiresAt) }),
  }
}

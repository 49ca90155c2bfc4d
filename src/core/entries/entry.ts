import { checkIdentifier, checkKnownKeys, checkText, parseInstant, toInstant, utf8Bytes } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Classification } from '../provenance/category.ts'
import { parseReaders, type Readers } from './readers.ts'
import { parseTags } from './tags.ts'
import { checkTrust, defaultTrust, type Trust, writeTrust } from './trust.ts'

/** One memory as every wire returns it. The shape is closed, so that no internal column leaks into a response. */
export type MemoryEntry = {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
}

/**
 * An entry with its class, as nodes get it and scratchpads keep it. The class is part of the value, so that a copy has it too. `classOf` reads it:
 * an entry without a class has the lowest.
 */
export type ClassedEntry = MemoryEntry & { readonly trust?: Trust }

/**
 * The input of a put.
 *
 * @example
 * const draft: EntryDraft = { content: 'Ada prefers tea.', tags: ['drinks'], subject: 'ada' }
 */
export type EntryDraft = {
  readonly content: string
  readonly tags?: readonly string[] | undefined
  readonly expiresAt?: string | Date | undefined
  readonly subject?: string | undefined
  /** A class below that of the caller, such as `untrusted` for the output of a tool. */
  readonly trust?: Trust | undefined
  /** Who inside the tenant may read it; by default everyone. With an empty list, only callers without a reader. */
  readonly readers?: readonly string[] | null | undefined
}

/** Where the text of a version came from, in identifiers only: an API call, a run, a source service or a compaction. */
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

/** The key of an entry in its tenant. */
export type EntryKey = { readonly memoryRef: string; readonly entryId: string }

/**
 * Where an entry is in the history of its tenant: the position that created it, and its ordinal in that batch. It never changes and is
 * unique in the tenant. In descending order it is newest first.
 */
export type Place = { readonly createdPosition: number; readonly ordinal: number }

/** One stored version of an entry. Versions are inserted and ended, and never reopened; only redaction rewrites their text. */
export type EntryVersion = EntryKey &
  Place & {
    readonly version: number
    readonly content: string
    readonly tags: readonly string[]
    /** Random, stored beside the content and erased with it. Without it, the content cannot be guessed from the audit's digest. */
    readonly salt: string
    readonly createdAt: number
    readonly expiresAt: number | null
    readonly recordedPosition: number
    /** The position whose audit record has the digest of the current text. */
    readonly digestPosition: number
    readonly endedPosition: number | null
    readonly endedReason: string | null
    readonly subject: string | null
    readonly origin: Origin
    /** Category, importance, claim and so on; null for entries from a plain put. */
    readonly classification: Classification | null
    readonly trust: Trust
    /** Who inside the tenant may read the entry; null for everyone. All versions of an entry have the same. */
    readonly readers: Readers
  }

/** Default values for the members of a version that a caller does not set. */
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
  trust: defaultTrust,
  readers: null,
} as const

/** A draft after its checks. */
export type ParsedDraft = {
  readonly content: string
  readonly tags: readonly string[]
  readonly expiresAt: number | null
  readonly subject: string | null
  /** Left out when it is the default. */
  readonly trust?: Trust
  /** Absent for everyone: digests of calls stay as they were before there were readers. */
  readonly readers?: Readers
}

const draftKeys = ['content', 'tags', 'expiresAt', 'subject', 'trust', 'readers'] as const

/**
 * Checks a draft. That `expiresAt` is in the future is checked when the entry is stored: a repeated call must still get its first
 * response after that instant.
 */
export function parseDraft(draft: unknown): ParsedDraft {
  checkKnownKeys('entry', draft ?? null, draftKeys)
  const { content, tags, expiresAt, subject, trust, readers } = draft as Record<(typeof draftKeys)[number], unknown>
  checkContent(content)
  const expires = expiresAt === undefined ? null : parseInstant('expiresAt', expiresAt)
  if (subject !== undefined) checkIdentifier('subject', subject, 'subjectCharactersMax', limits.subjectCharactersMax)
  if (trust !== undefined) checkTrust('trust', trust)
  const lowered = writeTrust(defaultTrust, trust)
  const named = parseReaders('readers', readers)
  return {
    content,
    tags: parseTags(tags),
    expiresAt: expires,
    subject: subject ?? null,
    ...(lowered === defaultTrust ? {} : { trust: lowered }),
    ...(named === null ? {} : { readers: named }),
  }
}

/** The text of an entry: not empty, and of limited size. */
export function checkContent(content: unknown): asserts content is string {
  checkText('content', content)
  if (content === '') throw invalid('content', 'must not be empty')
  checkContentSize(content)
}

/** Refuses a text above `contentBytesMax` bytes of UTF-8. */
export function checkContentSize(content: string, field = 'content'): void {
  // A UTF-16 unit is at most three UTF-8 bytes, so most texts need no counting.
  if (content.length * 3 <= limits.contentBytesMax || utf8Bytes(content) <= limits.contentBytesMax) return
  throw invalid(field, `must be at most ${limits.contentBytesMax} bytes of UTF-8`, {
    limit: 'contentBytesMax',
    max: limits.contentBytesMax,
  })
}

/** What a list shows of a version: the entry, its place in the list, and its class. */
export type ListedVersion = Pick<
  EntryVersion,
  'entryId' | 'content' | 'tags' | 'createdAt' | 'expiresAt' | 'createdPosition' | 'ordinal' | 'trust'
>

/** The version as clients see it. */
export function toMemoryEntry(version: ListedVersion): MemoryEntry {
  return {
    id: version.entryId,
    content: version.content,
    tags: version.tags,
    createdAt: toInstant(version.createdAt),
    ...(version.expiresAt === null ? {} : { expiresAt: toInstant(version.expiresAt) }),
  }
}

/** The version with its class, for a node. */
export function toClassedEntry(version: ListedVersion): ClassedEntry {
  return { ...toMemoryEntry(version), trust: version.trust }
}

/** The entry in the closed shape of the wires. */
export function withoutClass({ trust: _class, ...entry }: ClassedEntry): MemoryEntry {
  return entry
}

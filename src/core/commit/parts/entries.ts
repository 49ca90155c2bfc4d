import type { EndedNote, WrittenNote } from '../../audit/audit-notes.ts'
import type { StartedSha256 } from '../../audit/digest.ts'
import { versionDigest } from '../../audit/row-digests.ts'
import { isExpired } from '../../entries/as-of.ts'
import {
  blankVersion,
  checkContentSize,
  type EntryKey,
  type EntryVersion,
  type Origin,
  type ParsedDraft,
} from '../../entries/entry.ts'
import { areSameReaders, type Readers } from '../../entries/readers.ts'
import { isHostTag } from '../../entries/tags.ts'
import { defaultTrust, type Trust, trustAfterReading } from '../../entries/trust.ts'
import { ColophonError, invalid } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { limits } from '../../limits.ts'
import type { Classification } from '../../provenance/category.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import { expiredReason } from '../../retention.ts'
import { startedDigestsOf } from '../started-digests.ts'
import type { BatchPart, BatchRedaction, Mac, Moment } from './part.ts'
import { notesOf } from './part.ts'

/** A new entry. What a draft has beyond these may be left out by the host's own entries. */
export type NewEntry = EntryKey &
  Pick<ParsedDraft, 'content' | 'tags' | 'expiresAt' | 'subject'> &
  Partial<ParsedDraft> & {
    readonly origin: Origin
    readonly salt: string
    readonly classification?: Classification
    /** Left out, it has the default class and everyone may read it. */
    readonly trust?: Trust
    readonly readers?: Readers
    /** Why it ends in the very moment it begins: a content that loses its claim from the start. */
    readonly endsAtOnce?: string
    /** Made from other entries, and clean already: the redactor must find nothing in it, or nothing is stored. */
    readonly isDerived?: true
    /** Its tags are identifiers of the writer: one that holds a secret is refused, because a rewritten one would not be found again. */
    readonly hasExactTags?: true
  }

/** The next version of an entry; the id, the age and the place in the list stay. */
export type Revision = EntryKey & {
  /** Whether it may bring back an entry that has ended, as undoing does. An ended version itself is never reopened. */
  readonly revives: boolean
  readonly content: string
  readonly tags: readonly string[]
  readonly origin: Origin
  readonly salt: string
  /** Left out, they stay as they are. */
  readonly classification?: Classification
  readonly trust?: Trust
  /** Of an edit: the class of the call. The text that it changes is read before, so what is untrusted stays untrusted. */
  readonly editorTrust?: Trust
  /** Why the version before it ends; left out, because it is revised. */
  readonly replaces?: 'contained'
  /** Why it ends in the very moment it begins: the mark that an entry which had ended already is deleted. */
  readonly endsAtOnce?: string
  /** As for a new entry. */
  readonly hasExactTags?: true
}

/** Ends the current version of an entry. An entry that has none is left as it is. */
export type Ending = EntryKey & { readonly reason: string }

/**
 * Commit only if the entry still has this version, and these readers if they are named; with `isEnded`, only if that version is the
 * newest and has ended.
 */
export type Expectation = EntryKey & {
  readonly version: number
  readonly isEnded?: true
  readonly readers?: Readers
}

/** The newest version of an entry, as far as a decision needs it. */
export type EntryHead = Omit<EntryVersion, 'content' | 'salt' | 'origin' | 'recordedPosition' | 'digestPosition'>

export type SealedEnding = EntryHead & { readonly endedPosition: number; readonly endedReason: string }

export type EntryMembers = {
  readonly puts: readonly NewEntry[]
  readonly revisions: readonly Revision[]
  readonly ends: readonly Ending[]
  readonly expects: readonly Expectation[]
}

export type EntryRows = { readonly versions: readonly EntryVersion[]; readonly endings: readonly SealedEnding[] }

export type EntryPartState = {
  /** The newest version of an entry, unless a fence hides it. */
  readonly head: (key: EntryKey) => EntryHead | undefined
}

/** Entries that are put, revised and ended, and the versions that the caller has seen. */
export const entries: BatchPart<EntryMembers, EntryRows, EntryPartState> = {
  members: ['puts', 'revisions', 'ends', 'expects'],
  none: { puts: [], revisions: [], ends: [], expects: [] },
  noRows: { versions: [], endings: [] },

  size({ puts, revisions, ends }) {
    let characters = 0
    for (const put of puts) characters += put.content.length
    for (const revision of revisions) characters += revision.content.length
    return { rows: puts.length + revisions.length + ends.length, characters }
  },

  redact({ puts, revisions }, redaction) {
    const fresh = newTextRedactor(redaction)
    return {
      puts: puts.map((put) => (put.isDerived ? unchanged(put, fresh(put)) : fresh(put))),
      revisions: revisions.map(fresh),
    }
  },

  refuseSecrets({ puts, revisions }, { scan }) {
    for (const { hasExactTags, tags } of [...puts, ...revisions])
      if (hasExactTags) for (const tag of tags) refuseSecrets({ tags: tag }, scan)
    let last: { memoryRef: string; origin: Origin } | undefined
    for (const { memoryRef, subject, origin, readers } of puts) {
      // What the host itself notes of a run is stored under names that were checked when the client sent them.
      if (origin.kind === 'session') continue
      // The entries of a batch mostly share their ref and origin, and one check of them is enough.
      if (memoryRef !== last?.memoryRef) refuseSecrets({ memoryRef }, scan)
      if (origin !== last?.origin) refuseSecrets({ ...origin }, scan)
      if (subject !== null) refuseSecrets({ subject }, scan)
      for (const reader of readers ?? []) refuseSecrets({ readers: reader }, scan)
      last = { memoryRef, origin }
    }
  },

  check({ expects }, { head: headOf }) {
    for (const expectation of expects) {
      const head = headOf(expectation)
      const hasEnded = head === undefined || head.endedPosition !== null
      const version = head !== undefined && hasEnded === (expectation.isEnded ?? false) ? head.version : 0
      if (version !== expectation.version) {
        throw new ColophonError('version_conflict', 'The entry has another version than expected.', {
          details: { expected: expectation.version, actual: version },
        })
      }
      const { readers } = expectation
      if (readers !== undefined && head !== undefined && !areSameReaders(readers, head.readers))
        throw new ColophonError('version_conflict', 'The readers of the entry were changed concurrently; retry.')
    }
  },

  seal(batch, state, moment) {
    const versions = batch.puts.map((put, ordinal) => sealPut(put, ordinal, moment))
    const endings: SealedEnding[] = []
    for (const revision of batch.revisions) sealRevision(revision, state, moment, versions, endings)
    if (batch.ends.length > 0) sealEnds(batch.ends, state, moment, endings)
    return { versions, endings }
  },

  takesPosition: ({ versions, endings }) => versions.length > 0 || endings.length > 0,

  audit({ versions, endings }, batch, { mac, position }) {
    const started = startedDigestsOf(batch)
    return {
      ...notesOf('ended', endings, (ending) => toEndedNote(ending, mac)),
      ...notesOf('written', versions, (version) => toWrittenNote(version, mac, position, started?.get(version.salt))),
    }
  },

  refs: ({ versions, endings }) => (endings.length === 0 ? versions : [...versions, ...endings]),
}

function sealPut(put: NewEntry, ordinal: number, { position, at, now }: Moment): EntryVersion {
  if (put.expiresAt !== null && put.expiresAt <= now) throw invalid('expiresAt', 'must lie in the future')
  const { endsAtOnce, isDerived: _checked, hasExactTags: _exact, classification = null, ...entry } = put
  return {
    ...blankVersion,
    ...entry,
    classification,
    version: 1,
    createdAt: at,
    createdPosition: position,
    ordinal,
    ...lifeFrom(position, endsAtOnce),
  }
}

function sealRevision(
  revision: Revision,
  state: EntryPartState,
  { position, now }: Moment,
  versions: EntryVersion[],
  endings: SealedEnding[],
): void {
  const head = state.head(revision)
  const { revives, endsAtOnce, editorTrust, hasExactTags: _exact, replaces = 'revised', ...text } = revision
  const hasEnded = head === undefined || head.endedPosition !== null
  if (head === undefined || isExpired(head, now) || (hasEnded && !revives)) {
    throw new ColophonError('version_conflict', 'The entry to revise does not exist or was deleted.')
  }
  if (!hasEnded) endings.push(endHead(head, position, replaces))
  const trust = editorTrust === undefined ? {} : { trust: trustAfterReading(editorTrust, [head.trust]) }
  versions.push({ ...head, ...text, ...trust, version: head.version + 1, ...lifeFrom(position, endsAtOnce) })
}

function sealEnds(
  ends: readonly Ending[],
  state: EntryPartState,
  { position, now }: Moment,
  endings: SealedEnding[],
): void {
  const ended = new Set(endings.map(keyOf))
  for (const end of ends) {
    const head = state.head(end)
    // An expired entry is ended by the sweeper only, and the sweeper ends nothing else.
    const isDue = head !== undefined && isExpired(head, now) === (end.reason === expiredReason)
    if (!isDue || head.endedPosition !== null || ended.has(keyOf(end))) continue
    ended.add(keyOf(end))
    endings.push(endHead(head, position, end.reason))
  }
}

function lifeFrom(position: number, endsAtOnce: string | undefined) {
  const end = endsAtOnce === undefined ? null : position
  return { recordedPosition: position, digestPosition: position, endedPosition: end, endedReason: endsAtOnce ?? null }
}

function endHead(head: EntryHead, position: number, reason: string): SealedEnding {
  invariant(head.endedPosition === null, 'a version ends once: an ended head is never ended again')
  invariant(position > head.createdPosition, 'a version ends after its entry began')
  return { ...head, endedPosition: position, endedReason: reason }
}

type Text = { readonly content: string; readonly tags: readonly string[] }

/** Redacts the text of entries, whatever its length becomes. */
export function textRedactor(redaction: BatchRedaction): <T extends Text>(entry: T) => T {
  const content = redaction.text('content')
  const tag = redaction.text('tags')
  return (entry) => ({
    ...entry,
    content: content(entry.content),
    // Tags of the host name the origin of an entry and are never rewritten. Two tags that contained different secrets may be
    // equal afterwards, and a tag is in the set once.
    tags: [...new Set(entry.tags.map((name) => (isHostTag(name) ? name : fitTag(tag(name)))))],
  })
}

/** Redacts the text of new versions. It must still fit afterwards: a marker may be longer than the secret that it replaces. */
export function newTextRedactor(redaction: BatchRedaction): <T extends Text>(entry: T) => T {
  const redact = textRedactor(redaction)
  return (entry) => {
    const clean = redact(entry)
    if (clean.content.length > entry.content.length) checkContentSize(clean.content)
    return clean
  }
}

/** A tag that grew too long is not cut, which could leave half a marker; it only says that there was a secret. */
function fitTag(tag: string): string {
  return tag.length > limits.tagCharactersMax ? '[REDACTED:tag]' : tag
}

/** Derived text is redacted before it is decided on. If it is not clean by now, it has to be made again. */
function unchanged(before: NewEntry, after: NewEntry): NewEntry {
  if (before.content === after.content) return after
  throw new ColophonError('compaction_redaction_failed', 'The text made from several entries holds a secret.')
}

/** A version that begins and has ended already (it loses its claim, or comes with an import) has its end here. */
export function toWrittenNote(
  version: EntryVersion,
  mac: Mac,
  writtenAt: number | null,
  started?: StartedSha256,
): WrittenNote {
  const { endedPosition, endedReason } = version
  const hasEnded = writtenAt !== null && endedPosition !== null
  return {
    digest: versionDigest(version, started),
    ...(hasEnded ? { ended: [endedPosition, endedReason ?? ''] as const } : {}),
    id: version.entryId,
    ref: mac(version.memoryRef),
    ...(version.subject === null ? {} : { subject: mac(version.subject) }),
    ...(version.trust === defaultTrust ? {} : { trust: version.trust }),
    version: version.version,
  }
}

function toEndedNote(ending: SealedEnding, mac: Mac): EndedNote {
  return { id: ending.entryId, reason: ending.endedReason, ref: mac(ending.memoryRef), version: ending.version }
}

/** One text for an entry's key. The separator cannot occur in either part. */
export function keyOf(key: EntryKey): string {
  return `${key.memoryRef}\u0000${key.entryId}`
}

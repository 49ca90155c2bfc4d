import type { EntryKey, EntryVersion, Place } from '../../entries/entry.ts'
import type { Readers } from '../../entries/readers.ts'
import { invariant } from '../../invariant.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import { textRedactor, toWrittenNote } from './entries.ts'
import type { BatchPart } from './part.ts'
import { notesOf } from './part.ts'

export type VersionKey = EntryKey & { readonly version: number }

/**
 * Takes a secret out of a stored version in place, or changes who may read it. The salt names the text it was read from: if that changed,
 * nothing is done.
 */
export type Rewrite = VersionKey & {
  readonly content: string
  readonly tags: readonly string[]
  readonly readSalt: string
  readonly salt: string
  /** Left out, they stay as they are. */
  readonly readers?: Readers
}

/** Deletes a stored version as if it had never been, with its text, its tags, its search row and its vector. A version that is not stored is passed over. */
export type Erasure = VersionKey

/** The version as it will be, and the tags it had. If only its readers change, what is derived from its text stays. */
export type SealedRewrite = EntryVersion & { readonly oldTags: readonly string[]; readonly keepsText: boolean }

/** A version to delete, as far as a store needs it to find every row of it. */
export type SealedErasure = VersionKey & Place & { readonly tags: readonly string[] }

export type StoredVersionMembers = { readonly rewrites: readonly Rewrite[]; readonly erasures: readonly Erasure[] }

export type StoredVersionRows = {
  readonly rewrites: readonly SealedRewrite[]
  readonly erasures: readonly SealedErasure[]
}

export type StoredVersionPartState = {
  /** A stored version with its text. */
  readonly version: (key: VersionKey) => EntryVersion | undefined
}

/** Stored versions that are changed in place: a secret is taken out of the text, the readers change, or the version is erased. */
export const storedVersions: BatchPart<StoredVersionMembers, StoredVersionRows, StoredVersionPartState> = {
  members: ['rewrites', 'erasures'],
  none: { rewrites: [], erasures: [] },
  noRows: { rewrites: [], erasures: [] },

  redact: ({ rewrites }, redaction) => ({ rewrites: rewrites.map(textRedactor(redaction)) }),

  refuseSecrets({ rewrites }, { scan }) {
    for (const { readers } of rewrites) for (const reader of readers ?? []) refuseSecrets({ readers: reader }, scan)
  },

  seal: ({ rewrites, erasures }, { version }, { position }) => ({
    rewrites: rewrites.flatMap((rewrite): SealedRewrite[] => {
      const stored = version(rewrite)
      if (stored === undefined || stored.salt !== rewrite.readSalt) return []
      const { content, tags, salt, readers = stored.readers } = rewrite
      const keepsText = content === stored.content && JSON.stringify(tags) === JSON.stringify(stored.tags)
      invariant(salt !== stored.salt, 'a rewritten text gets a new salt: the old digest must not fit it')
      return [{ ...stored, content, tags, salt, readers, digestPosition: position, oldTags: stored.tags, keepsText }]
    }),
    erasures: erasures.flatMap((key): SealedErasure[] => {
      const stored = version(key)
      if (stored === undefined) return []
      const { memoryRef, entryId, createdPosition, ordinal, tags } = stored
      return [{ memoryRef, entryId, version: stored.version, createdPosition, ordinal, tags }]
    }),
  }),

  takesPosition: ({ rewrites, erasures }) => rewrites.length > 0 || erasures.length > 0,

  audit: ({ rewrites, erasures }, _batch, { mac }) => ({
    ...notesOf('erased', erasures, ({ entryId: id, version }) => ({ id, version })),
    ...notesOf('rewritten', rewrites, (version) => toWrittenNote(version, mac, null)),
  }),

  refs: ({ rewrites }) => rewrites,
}

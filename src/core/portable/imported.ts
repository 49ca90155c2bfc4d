import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Claim, UnsealedAssertion } from '../provenance/claim.ts'
import type { SourceEvent } from '../provenance/source-event.ts'
import type { SignatureVerdict } from './signature.ts'

/** One position of the tenant that was exported: when it was, and the hash that its chain had there. */
export type ImportedPosition = { readonly position: number; readonly at: number; readonly hash: string }

export type ImportedVersion = Omit<EntryVersion, 'digestPosition'>

export type ImportedClaim = { readonly claim: Claim; readonly assertions: readonly UnsealedAssertion[] }

export type ImportedCompaction = { readonly compaction: Compaction; readonly sources: readonly CompactionSource[] }

/** The end of the chain that an export came from, and whether its signature is known. */
export type ImportSource = {
  readonly tenant: string
  readonly position: number
  readonly head: string
  readonly signature: SignatureVerdict
}

/**
 * Rows that come with their history: versions, events and claims keep the positions they had, moved by `base`. They
 * can only be stored once the tenant's clock has gone through those positions, so `positions` come first.
 */
export type Imported = {
  /** The position at which the import began. */
  readonly base: number
  /** Consecutive; each becomes one position and one record of this tenant. */
  readonly positions: readonly ImportedPosition[]
  readonly versions: readonly ImportedVersion[]
  readonly sourceEvents: readonly SourceEvent[]
  readonly claims: readonly ImportedClaim[]
  readonly compactions: readonly ImportedCompaction[]
  /** Only with the last rows. */
  readonly source?: ImportSource
  /** The first line's number: makes the places of rows in the search index unique across the batches of one import. */
  readonly firstLine: number
}

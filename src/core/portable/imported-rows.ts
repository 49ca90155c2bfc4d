import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { ClaimRecord, UnsealedAssertion } from '../provenance/claim.ts'
import type { SourceEventRecord } from '../provenance/source-event.ts'
import type { SignatureVerdict } from './export-signature.ts'

/** One position of the exported tenant: its instant, and its hash in the exported chain. */
export type ImportedPosition = { readonly position: number; readonly at: number; readonly hash: string }

/** A version of an import. Its digest position is that of the importing batch. */
export type ImportedVersion = Omit<EntryVersion, 'digestPosition'>

export type ImportedClaim = { readonly claim: ClaimRecord; readonly assertions: readonly UnsealedAssertion[] }

export type ImportedCompaction = { readonly compaction: Compaction; readonly sources: readonly CompactionSource[] }

/** The end of the exported chain, and the result of the signature check. */
export type ImportSource = {
  readonly tenant: string
  readonly position: number
  readonly head: string
  readonly signature: SignatureVerdict
}

/**
 * The imported rows of a batch. Versions, events and claims keep their positions, moved by `base`. They can be stored only after the
 * tenant's clock has passed those positions, so `positions` are imported first.
 */
export type ImportedRows = {
  /** The position at which the import began. */
  readonly base: number
  /** Consecutive; each becomes one position and one record of this tenant. */
  readonly positions: readonly ImportedPosition[]
  readonly versions: readonly ImportedVersion[]
  readonly sourceEvents: readonly SourceEventRecord[]
  readonly claims: readonly ImportedClaim[]
  readonly compactions: readonly ImportedCompaction[]
  /** Only with the last rows. */
  readonly source?: ImportSource
  /** The number of the first line: it makes the places of rows in the search index unique across the batches of one import. */
  readonly firstLine: number
}

import type { Classification } from '../../core/provenance/category.ts'
import { indexedTerms } from '../../core/search/indexed-terms.ts'
import type { FoundRow, NeighbourRow } from '../../ports/search-store.ts'
import { toClassification, toVersion, type VersionRow } from './version-rows.ts'

/** The columns of a version that ranking needs. */
export const neighbourColumns = 'entry_id, version, content, created_at, created_position, ordinal, classification'

export type NeighbourVersionRow = Pick<
  VersionRow,
  'entry_id' | 'version' | 'content' | 'created_at' | 'created_position' | 'ordinal' | 'classification'
>

/** A row whose terms are made when they are needed: many rows are read that are not visible, filtered out, or read twice. */
class RowWithTerms<Version extends { readonly content: string }> {
  readonly version: Version
  #terms: readonly string[] | undefined

  constructor(version: Version) {
    this.version = version
  }

  get terms(): readonly string[] {
    this.#terms ??= indexedTerms(this.version.content)
    return this.#terms
  }
}

export function toFoundRow(row: VersionRow): FoundRow {
  return new RowWithTerms(toVersion(row))
}

/** Reads the neighbours of one search. Messages of a conversation often have the same classification, one after the other: it is parsed once. */
export function createNeighbourReader(): (row: NeighbourVersionRow) => NeighbourRow {
  let text: string | null = null
  let classification: Classification | null = null
  return (row) => {
    if (row.classification !== text) {
      text = row.classification
      classification = toClassification(text)
    }
    return new RowWithTerms({
      entryId: row.entry_id,
      version: row.version,
      content: row.content,
      createdAt: row.created_at,
      createdPosition: row.created_position,
      ordinal: row.ordinal,
      classification,
    })
  }
}

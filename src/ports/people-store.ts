/** A stored spelling of the id of a person, and the last commit that named it. */
export type StoredSpelling = { readonly spelling: string; readonly lastPosition: number }

/**
 * The spellings in which ids of people are stored, by their form in NFC. Every commit notes those that it names and that have other spellings; the
 * core computes the form, because not every database can.
 */
export interface PeopleStore {
  /** The stored spellings of a person, the first one first. None for ids without another spelling. */
  spellings(tenantId: string, folded: string): Promise<readonly StoredSpelling[]>
  /** People with more than one stored spelling, in order of the folded form. */
  spelledTwice(query: {
    tenantId: string
    after: string | null
    limit: number
  }): Promise<readonly { readonly folded: string; readonly spellings: readonly string[] }[]>
}

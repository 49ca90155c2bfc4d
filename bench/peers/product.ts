/** What a product offers for the work that is timed. Contents are texts; an id is whatever the product finds them by. */
export type Opened = {
  put(content: string): Promise<string>
  get(id: string): Promise<string | null>
  /** Some fifty memories, the newest ones where the product can say which those are. */
  page(): Promise<readonly string[]>
  /** At most ten memories for a few words, best first; more where the product has no limit parameter. */
  search(words: string): Promise<readonly string[]>
  delete(id: string): Promise<void>
  /** Many memories before anything is timed, by the quickest way there is; their ids in the same order. */
  fill(contents: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

/** Where a product may keep its data. */
export type Place = { readonly folder: string; readonly databaseUrl: string }

export type Product = {
  readonly name: string
  /** The package whose version is reported; null for Colophon itself. */
  readonly package: string | null
  /** When an acknowledged write outlives the process, and when the machine. */
  readonly durability: string
  readonly needsPostgres?: boolean
  /** Run as users run it: the build, not the sources. */
  readonly needsBuild?: boolean
  readonly open: (place: Place) => Promise<Opened>
}

export const pageEntries = 50
export const hitsMax = 10

/** Makes vectors of texts, such that texts that mean alike have vectors that lie near each other. */
export interface Embedder {
  /** Which model; vectors of different models cannot be compared. */
  readonly model: string
  /** How many texts it takes at once. */
  readonly textsMax: number
  /** One vector for each text, in their order and all of the same length. Only redacted text may come here. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]>
  close(): Promise<void>
}

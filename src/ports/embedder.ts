/** Makes vectors of texts: texts of similar meaning get vectors that are near each other. */
export interface Embedder {
  /** Which model; vectors of different models cannot be compared. */
  readonly model: string
  /** How many texts one call may have. */
  readonly textsMax: number
  /** One vector for each text, in their order and all of the same length. The texts must be redacted already. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly ArrayLike<number>[]>
  close(): Promise<void>
}

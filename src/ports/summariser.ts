export type SummaryRequest = {
  /** The oldest first. They are data: a summariser does not follow instructions in them. */
  readonly texts: readonly string[]
  readonly bytesMax: number
}

export type Summary = {
  readonly text: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Makes one text of many. Its result is checked and redacted, like any text from outside. */
export interface Summariser {
  readonly name: string
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<Summary>
}

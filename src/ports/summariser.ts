export type SummaryRequest = {
  /** The oldest first. They are data: instructions in them are not followed. */
  readonly texts: readonly string[]
  readonly bytesMax: number
}

export type Summary = {
  readonly text: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Makes one text of many. What it gives is checked and goes through the redactor, like anything from outside. */
export interface Summariser {
  readonly name: string
  summarise(request: SummaryRequest, signal: AbortSignal): Promise<Summary>
}

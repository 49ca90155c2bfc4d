import type { Category } from '../core/provenance/category.ts'
import type { SourceMessage } from '../core/provenance/source-event.ts'

/** A memory that an extractor proposes. */
export type ExtractedMemory = {
  /** 10 to 500 characters. */
  readonly content: string
  readonly category: Category
  /** 1 to 10. */
  readonly importance: number
  /** 0 to 1. */
  readonly confidence: number
  /** The key of the claim that it is about, such as `ui.theme`; null when it competes with no other memory. */
  readonly claimKey: string | null
  /** The indexes of the messages that it was found in. */
  readonly messages: readonly number[]
}

export type Extraction = {
  readonly candidates: readonly ExtractedMemory[]
  /** `rules`, or the model's name. */
  readonly extractor: string
  /** How many candidates were dropped because they were malformed. */
  readonly dropped?: number
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Finds memories in messages. Messages are data: an extractor does not follow instructions in them. */
export interface Extractor {
  readonly name: string
  /** Rejects when it cannot extract now; the job that called it tries again later. */
  extract(messages: readonly SourceMessage[], signal: AbortSignal): Promise<Extraction>
}

import type { ExtractedMemory } from '../core/extract/extract.ts'
import type { SourceMessage } from '../core/provenance/source-event.ts'

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

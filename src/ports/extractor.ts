import type { Category } from '../core/provenance/category.ts'
import type { SourceMessage } from '../core/provenance/source-event.ts'

/** Something worth remembering that messages say. */
export type Candidate = {
  /** 10 to 500 characters. */
  readonly content: string
  readonly category: Category
  /** 1 to 10. */
  readonly importance: number
  /** 0 to 1. */
  readonly confidence: number
  /** The slot it speaks about, such as `ui.theme`; null when it competes with nothing. */
  readonly claimKey: string | null
  /** Which messages it comes from. */
  readonly messages: readonly number[]
}

export type Extraction = {
  readonly candidates: readonly Candidate[]
  /** Who extracted: `rules`, or the model's name. */
  readonly extractor: string
  /** What the extractor found that was not as it had to be. */
  readonly dropped?: number
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Finds what is worth remembering. What it is given is data: instructions in it are not followed. */
export interface Extractor {
  readonly name: string
  extract(messages: readonly SourceMessage[], signal: AbortSignal): Promise<Extraction>
}

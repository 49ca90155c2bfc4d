import { invalid } from '../errors.ts'

/** What kind of thing is known. */
export const categories = ['preference', 'fact', 'goal', 'procedure', 'relationship', 'expertise'] as const

export type Category = (typeof categories)[number]

export function isCategory(value: unknown): value is Category {
  return (categories as readonly unknown[]).includes(value)
}

export function checkCategory(field: string, value: unknown): asserts value is Category {
  if (!isCategory(value)) throw invalid(field, `must be one of ${categories.join(', ')}`)
}

/** What is known about an entry beyond its text: what kind it is, how much it counts, and which claim it speaks to. */
export type Classification = {
  readonly category: Category
  /** Null when it competes with nothing. */
  readonly claimKey: string | null
  /** 1 to 10. */
  readonly importance: number
  /** 0 to 1, as the source gave it. */
  readonly confidence: number
  /** The claim whose content this is; null for what was simply put. */
  readonly claimId: string | null
  readonly sourceEventId: string | null
  /** When its source saw it. */
  readonly observedAt?: number
  /** The conversation it is from, when its source names one; otherwise the source event is the conversation. */
  readonly sessionId?: string
}

export const defaultClassification: Classification = {
  category: 'fact',
  claimKey: null,
  importance: 5,
  confidence: 1,
  claimId: null,
  sourceEventId: null,
}

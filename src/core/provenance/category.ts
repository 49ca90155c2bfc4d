import { invalid } from '../errors.ts'

/** The categories of memories. */
export const categories = ['preference', 'fact', 'goal', 'procedure', 'relationship', 'expertise'] as const

export type Category = (typeof categories)[number]

export function isCategory(value: unknown): value is Category {
  return (categories as readonly unknown[]).includes(value)
}

export function checkCategory(field: string, value: unknown): asserts value is Category {
  if (!isCategory(value)) throw invalid(field, `must be one of ${categories.join(', ')}`)
}

/** What is known about an entry besides its text: its category, its importance, and the claim whose content it is. */
export type Classification = {
  readonly category: Category
  /** Null when it competes with no other content. */
  readonly claimKey: string | null
  /** 1 to 10. */
  readonly importance: number
  /** 0 to 1, as the source stated it. */
  readonly confidence: number
  /** The claim whose content this is; null for an entry from a plain put. */
  readonly claimId: string | null
  readonly sourceEventId: string | null
  /** When its source observed it. */
  readonly observedAt?: number
  /** The conversation that it is from, if the source names one; otherwise the source event is the conversation. */
  readonly sessionId?: string
}

/** The classification of an entry whose caller states none. */
export const defaultClassification: Classification = {
  category: 'fact',
  claimKey: null,
  importance: 5,
  confidence: 1,
  claimId: null,
  sourceEventId: null,
}

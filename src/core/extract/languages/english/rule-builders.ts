import type { Category } from '../../../provenance/category.ts'
import type { ExtractionRule, Finding } from '../../language.ts'
import { upperFirst } from '../../text.ts'
import { toThirdPerson } from './phrases.ts'

export const nothing: readonly Finding[] = []

/** Category and defaults of the findings of a rule. */
export type Slot = { readonly category: Category; readonly importance: number; readonly confidence?: number }

/** The default confidence of a statement. Requests and incidental mentions get less. */
const statedConfidence = 0.9

type Details = { readonly value: string; readonly isNegated?: boolean; readonly confidence?: number }

/** One finding as a list. The content is rewritten to the third person. */
export function finding(slot: Slot, claimKey: string | null, content: string, details: Details): readonly Finding[] {
  return [
    {
      content: upperFirst(toThirdPerson(content)),
      category: slot.category,
      claimKey,
      importance: slot.importance,
      confidence: details.confidence ?? slot.confidence ?? statedConfidence,
      value: details.value,
      isNegated: details.isNegated ?? false,
    },
  ]
}

/** An extraction rule. */
export function rule(when: RegExp, make: ExtractionRule['make']): ExtractionRule {
  return { when, make }
}

/** A rule for mentions anywhere in a sentence, possibly several. */
export function mention(when: RegExp, make: ExtractionRule['make']): ExtractionRule {
  return { when: new RegExp(when, when.global ? when.flags : `g${when.flags}`), make }
}

import type { Category } from '../../../provenance/category.ts'
import type { Finding, Rule } from '../../language.ts'
import { upperFirst } from '../../text.ts'
import { neutral } from './words.ts'

export const nothing: readonly Finding[] = []

export type Slot = { readonly category: Category; readonly importance: number; readonly confidence?: number }

/** A statement is believed; what is only asked for, or said in passing, a little less. */
const statedConfidence = 0.9

type Details = { readonly value: string; readonly isNegated?: boolean; readonly confidence?: number }

export function finding(slot: Slot, claimKey: string | null, content: string, details: Details): readonly Finding[] {
  return [
    {
      content: upperFirst(neutral(content)),
      category: slot.category,
      claimKey,
      importance: slot.importance,
      confidence: details.confidence ?? slot.confidence ?? statedConfidence,
      value: details.value,
      isNegated: details.isNegated ?? false,
    },
  ]
}

export function rule(when: RegExp, make: Rule['make']): Rule {
  return { when, make }
}

/** For what may stand anywhere in a sentence, and more than once. */
export function mention(when: RegExp, make: Rule['make']): Rule {
  return { when: new RegExp(when, when.global ? when.flags : `g${when.flags}`), make }
}

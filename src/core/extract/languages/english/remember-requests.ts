import type { ExtractionRule } from '../../language.ts'
import { isShort, isSpecificThing, keyOf, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'

const requested = { category: 'fact', importance: 6, confidence: 0.8 } as const

const asks =
  '^(?:please |also |and |can you |could you )*(?:remember|note|keep in mind|bear in mind|do not forget|make a note|save|store)(?: this| for later)?(?: that|:|,)? '

/** Explicit requests such as "remember that my office is in Changi", for statements that no other rule matches. */
export const rememberRequests: readonly ExtractionRule[] = [
  rule(
    new RegExp(`${asks}(?:my|our) ((?:[\\p{L}-]+ ){0,3}[\\p{L}-]+) (is|are|was|has|have) (.+)$`, 'iu'),
    (what, verb, text) => {
      const value = trimPhrase(text)
      if (!isShort(what, 4) || !isShort(value, 16) || /^(?:your|the assistant)\b/i.test(value)) return nothing
      return finding(requested, `my.${keyOf(what)}`, `${what} ${verb.toLowerCase()} ${value}`, { value })
    },
  ),
  rule(new RegExp(`${asks}((?:I|we) (?!am (?:your|the)\\b).+)$`, 'iu'), (text) => {
    const said = text.replace(/[\s.!]+$/, '')
    return isShort(said, 30) && isSpecificThing(said.replace(/^\S+ /, ''), 30)
      ? finding(requested, null, `Wants this remembered: ${said}`, { value: said })
      : nothing
  }),
]

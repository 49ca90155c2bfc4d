import type { ExtractionRule, Finding } from '../../language.ts'
import { upperFirst } from '../../text.ts'
import { spokenLanguages } from './lexicon.ts'
import { isShort, isSpecificThing, keyOf, listOf, properName, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { type SlotUse, slotByNoun, slotByValue } from './slots.ts'

const setting = { category: 'preference', importance: 6 } as const
const asked = { category: 'preference', importance: 6, confidence: 0.8 } as const
const taste = { category: 'preference', importance: 5 } as const

const filled =
  (how: SlotUse, verb: string, isNegated = false) =>
  (text: string): readonly Finding[] => {
    const value = trimPhrase(text)
    const key = slotByValue(value, how)
    return key === null
      ? nothing
      : finding(how === 'ask' ? asked : setting, key, `${verb} ${value}`, { value, isNegated })
  }

const preferred = (item: string): readonly Finding[] => {
  const key = slotByValue(item, 'prefer')
  if (key !== null) return finding(setting, key, `Prefers ${item}`, { value: item })
  return isSpecificThing(item, 7) ? finding(taste, `taste.${keyOf(item)}`, `Prefers ${item}`, { value: item }) : nothing
}

const prefers = (text: string, over: string): readonly Finding[] => {
  const value = trimPhrase(text)
  const other = trimPhrase(over)
  const key = slotByValue(value, 'prefer')
  const content = other === '' ? `Prefers ${value}` : `Prefers ${value} over ${other}`
  if (key !== null) return finding(setting, key, content, { value })
  if (other === '') return listOf(text).flatMap(preferred)
  return isSpecificThing(value) && isShort(other, 8)
    ? finding(taste, `taste.${keyOf(value)}`, content, { value })
    : nothing
}

const replyIn = (text: string) => {
  const [said = ''] = trimPhrase(text).split(/ (?:and|only|when|unless|with)\b/i)
  const language = properName(said)
  return spokenLanguages.has(language.toLowerCase())
    ? finding(asked, 'language.reply', `Wants answers in ${language}`, { value: language, confidence: 0.85 })
    : nothing
}

const reachedBy = (text: string) => {
  const value = trimPhrase(text).replace(/^(?:by|via|on|through|over|with|using) /i, '')
  return slotByValue(value, 'prefer') === 'contact.channel'
    ? finding(setting, 'contact.channel', `Is best reached by ${value}`, { value })
    : nothing
}

const quality = 'short|shorter|brief|concise|succinct|terse|detailed|thorough|simple|to the point|long|compact|crisp'
const manner = 'formal|informal|casual|friendly|professional|direct|polite|blunt|honest'

export const preferences: readonly ExtractionRule[] = [
  rule(
    /^I (?:do not|no longer|can not|never|would not) (?:use|want|need|prefer|like|stand) (.+)$/i,
    filled('taste', 'Does not want', true),
  ),
  rule(
    /^I (?:(?:would )?prefer|would rather (?:use|have|go with|take)) (.+?) (?:over|to|than|instead of|rather than) (?!me\b|be\b|do\b|have\b|go\b|anything)(.+)$/i,
    prefers,
  ),
  rule(/^I (?:like|love) (.+?) (?:over|instead of|rather than|more than|better than) (?!anything)(.+)$/i, prefers),
  rule(
    /^I (?:would )?prefer (?:it )?(?:if|when|that) you (?:used?|would use|write with|gave me|give me) (.+)$/i,
    filled('prefer', 'Prefers'),
  ),
  rule(
    /^I (?:would )?(?:prefer|rather use|rather have) (?:to (?:use|have|get|read|see) |using |having )?(?:the )?(.+)$/i,
    (text) => prefers(text, ''),
  ),
  rule(
    /^I (?:always |usually |mostly |only )?(?:like|love|want|need|enjoy) (?:to (?:have|get|use|see) |having |using |my )?(?:the )?(.+)$/i,
    filled('taste', 'Likes'),
  ),
  rule(/^I (?:hate|dislike|loathe|despise|avoid) (.+)$/i, filled('taste', 'Dislikes', true)),
  rule(/^(.{3,40}?),? (?:please|only|all the way|for me|for the win|ftw|always)[.!]*$/i, (text) =>
    /^(?:no|skip|avoid|without|do not use|never use) /i.test(text)
      ? filled(
          'ask',
          'Does not want',
          true,
        )(text.replace(/^(?:no|skip|avoid|without|do not use|never use) (?:the |any )?/i, ''))
      : filled('ask', 'Prefers')(text.replace(/^(?:use|with|in|only) /i, '')),
  ),
  rule(
    /^(?:please )?(?:no|skip|avoid|do not (?:ever )?(?:use|give me|send)|never (?:use|send)|stop using|without)(?: me)? (?:the |any )?(.+)$/i,
    filled('ask', 'Does not want', true),
  ),
  rule(
    /^(?:please |always |can you |from now on )*(?:use|give me|show me|stick to|switch to|turn on|enable) (?:the )?(.+?)(?:,? not .+)?$/i,
    filled('ask', 'Prefers'),
  ),
  rule(
    /^(?:please |always |only |can you |from now on |just )*(?:answer|reply|respond|write|talk|speak|communicate|chat)(?: to me| with me| me| everything| back)?(?: only)? in (.+)$/i,
    replyIn,
  ),
  rule(
    /^I (?:want|would like|prefer|need) (?:your |the |my )?(?:answers|replies|responses|output|you to (?:answer|reply|respond|write)|to (?:talk|chat|speak|write)) in (.+)$/i,
    replyIn,
  ),
  rule(
    new RegExp(
      `^(?:please |always |just )*(?:keep|make) (?:it|things|your (?:answers|replies|responses|explanations|messages)|answers|replies|responses|the answers|everything) (${quality})\\b`,
      'i',
    ),
    (how) => finding(asked, 'reply.length', `Wants ${how} answers`, { value: how }),
  ),
  rule(new RegExp(`^(?:please |always |just )+be (?:more )?(?:(${quality})|(${manner}))\\b`, 'i'), (length, tone) =>
    length === ''
      ? finding(asked, 'reply.tone', `Wants a ${tone} tone`, { value: tone })
      : finding(asked, 'reply.length', `Wants ${length} answers`, { value: length }),
  ),
  rule(
    /^(.{3,30}) is (?:the )?(?:best|easiest|preferred|fastest) (?:way|method|channel)? ?to (?:reach|contact|get hold of) me/i,
    reachedBy,
  ),
  rule(/^(?:the )?best (?:way )?to (?:reach|contact) me (?:is )?(.+)$/i, reachedBy),
  rule(
    /^(?:please |you can |best to |it is best to |just )*(?:contact|reach|message|ping|write(?: to)?|get in touch with) me (?:only |best )?((?:by|via|on|over|through) .+)$/i,
    reachedBy,
  ),
  rule(/^I am best reached ((?:by|via|on|over) .+)$/i, reachedBy),
  rule(
    /^(?:please )?(?:do not|never) (?:call|text|message|email|contact|ring|phone|ping) me ((?:before|after|on|at|during|between) .+)$/i,
    (when) =>
      finding(asked, 'contact.time', `Does not want to be contacted ${trimPhrase(when)}`, {
        value: trimPhrase(when),
        isNegated: true,
      }),
  ),
  rule(
    /^(?:please )?(?:only )?(?:call|text|message|email|contact) me (?:only )?((?:before|after|between) .+)$/i,
    (when) => finding(asked, 'contact.time', `Wants to be contacted ${trimPhrase(when)}`, { value: trimPhrase(when) }),
  ),
  rule(/^my ((?:\p{L}+ ){0,2}\p{L}+) (?:is|of choice is) (?:now )?(.+)$/iu, (noun, text) => {
    const key = slotByNoun(noun.replace(/ of choice$/i, ''))
    const value = trimPhrase(text)
    return key !== null && isSpecificThing(value, 4)
      ? finding(setting, key, `${upperFirst(noun)} is ${value}`, { value })
      : nothing
  }),
  rule(
    /^(?:I|we) (?:have )?(?:just |recently )?(?:use|am using|chose|picked|switched to|moved to|went with) (.+?) (?:as|for) my (.+)$/i,
    (text, noun) => {
      const key = slotByNoun(trimPhrase(noun)) ?? slotByValue(trimPhrase(text), 'use')
      return key !== null && isSpecificThing(trimPhrase(text), 4)
        ? finding(setting, key, `Uses ${trimPhrase(text)} as ${trimPhrase(noun)}`, { value: trimPhrase(text) })
        : nothing
    },
  ),
  rule(
    /^(?:I|we) (?:have )?(?:just |recently )?(?:switched|moved|migrated|changed)(?: (?:over|from .{2,30}?))? to (.+)$/i,
    filled('use', 'Switched to'),
  ),
  rule(
    /^(?:I|we) (?:always |usually |mostly |exclusively )*(?:use|am using|are using|run|am on|am running|code in|write code in|work on|edit in|program in|browse with|have) (?:the )?(.+)$/i,
    filled('use', 'Uses'),
  ),
]

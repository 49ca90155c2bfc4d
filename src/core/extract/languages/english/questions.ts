import type { QuestionRule, ShortAnswer } from '../../language.ts'
import { isShort } from './phrases.ts'

const yes = /^(?:yes|yeah|yep|yup|sure|correct|right|i do|i am|indeed|of course|absolutely|definitely)\b[,.! ]*(.*)$/i
const no = /^(?:no|nope|nah|not really|never|i do not|i am not|not at all|none)\b[,.! ]*/i
const noAnswer =
  /^(?:(?:i|we|my|you|he|she|it|that|this|why|what|how|who|when|where|none|nothing|not|idk|dunno|hmm|whatever|depends|maybe|thanks|thank|ok|okay|please|hello|hi|hey|haha|lol|stop|skip|next|later|good|nice|great|cool)\b|no idea|does not matter)/i

/** Parses a short answer; null when the sentence is not one. */
export function readAnswer(sentence: string): ShortAnswer | null {
  const text = sentence.replace(/[.!]+$/, '').trim()
  if (no.test(text)) return { text: '', isYes: false, isNo: true }
  const [, rest] = yes.exec(text) ?? []
  if (rest !== undefined) return { text: plain(rest), isYes: true, isNo: false }
  if (noAnswer.test(text) || !isShort(text, 10)) return null
  return { text: plain(text), isYes: false, isNo: false }
}

const plain = (text: string) =>
  text
    .replace(
      /^(?:well|um|uh|mostly|mainly|usually|oh|just|probably|currently|in|at|for|it is|that would be|that is|a|an)[, ]+(?=\S)/i,
      '',
    )
    .replace(/[.!]+$/, '')

/** An open question. `…` in the statement is replaced by the answer. */
const open = (when: RegExp, statement: string): QuestionRule => ({
  when,
  toStatement: ({ text, isNo }, ...groups) =>
    isNo || text === ''
      ? null
      : groups
          .reduce((filled, group, at) => filled.replace(`$${at + 1}`, () => group), statement)
          .replace('…', () => text),
})

const either = (when: RegExp, ifYes: string, ifNo: string): QuestionRule => ({
  when,
  toStatement: ({ isYes, isNo }, what = '') =>
    isYes ? ifYes.replace('$1', () => what) : isNo ? ifNo.replace('$1', () => what) : null,
})

const a = '(?:an? )?'

export const questions: readonly QuestionRule[] = [
  open(
    /\bwhere (?:do you (?:currently )?live|are you (?:currently )?(?:based|living|located))\b|\b(?:which|what) city do you live in\b/i,
    'I live in …',
  ),
  open(/\bwhere are you (?:originally )?from\b|\bwhere (?:did you grow up|were you born)\b/i, 'I am from …'),
  open(/\bwhat is your (?:full |first )?name\b|\bwho am i (?:talking|speaking) (?:to|with)\b/i, 'My name is …'),
  open(/\bwhat (?:should|can|may|shall) i call you\b/i, 'Call me …'),
  open(/\bhow old are you\b|\bwhat is your age\b/i, 'I am … years old'),
  open(
    /\bwhen is your birthday\b|\bwhat is your (?:birthday|date of birth)\b|\bwhen were you born\b/i,
    'My birthday is …',
  ),
  open(
    /\bwhat do you do(?: for (?:a living|work))?$|\bwhat is your (?:job|profession|occupation|role|job title)\b/i,
    'I work as …',
  ),
  open(
    /\b(?:where do you work|(?:which|what) company do you work (?:for|at)|who do you work for|who is your employer)\b/i,
    'I work at …',
  ),
  open(/\bwhat is your time ?zone\b|\b(?:which|what) time ?zone are you in\b/i, 'My timezone is …'),
  open(/\b(?:which|what) languages? do you speak\b/i, 'I speak …'),
  open(
    /\b(?:which|what) (?:code )?(?:editor|ide|browser|shell|operating system|os) do you (?:use|prefer|like)\b/i,
    'I use …',
  ),
  open(
    /\b(?:any|have) (?:food )?allergies\b|\bwhat are you allergic to\b|\ballergic to anything\b/i,
    'I am allergic to …',
  ),
  open(/\bwhat is your favou?rite (\p{L}+(?: \p{L}+)?)\b/iu, 'My favourite $1 is …'),
  open(/\bwhat is your (?:wife|husband|partner|spouse)'s name\b/i, 'My partner is called …'),
  open(/\bwhat is your (dog|cat|pet|manager|boss|son|daughter)'s name\b/i, 'My $1 is called …'),
  open(/\bwho is your (?:manager|boss)\b|\bwho do you report to\b/i, 'My manager is called …'),
  open(/\bdo you have (?:any )?pets?\b/i, 'I have a …'),
  open(/\bhow many (kids|children|siblings|brothers|sisters) do you have\b/i, 'I have … $1'),
  open(/\b(?:light|dark) (?:or|and) (?:light|dark) (?:mode|theme)\b/i, 'I prefer … mode'),
  open(/\b(?:metric|imperial) or (?:metric|imperial)\b/i, 'I prefer … units'),
  open(
    /\b(?:which|what) language (?:should|shall|do you want me to) .*(?:reply|answer|respond|use)\b/i,
    'Please answer in …',
  ),
  either(/\bdo you have (?:any )?(kids|children|pets|siblings)$/i, 'I have $1', 'I do not have any $1'),
  either(
    new RegExp(
      `\\bare you ${a}(vegetarian|vegan|pescatarian|married|single|retired|lactose intolerant|left-handed)$`,
      'i',
    ),
    'I am $1',
    'I am not $1',
  ),
  either(
    /\bdo you (smoke|drink alcohol|eat meat|eat fish|eat pork|drink coffee|speak \p{L}+)$/iu,
    'I $1',
    'I do not $1',
  ),
]

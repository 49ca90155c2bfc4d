import { capitaliseName, slug, startsUpper, wordsOf } from '../../text.ts'

const cut =
  /(?:[,;(!?]| - | (?:because|since|so|but|which|who|whose|although|though|as i|when|a while|while|if|unless|than ever|as long as|and (?:i|my|we|it|that|he|she|they|then|so)|it (?:is|hurts|was)|just so)\b).*$/i

const fillers =
  /(?:^| )(?:now|right now|these days|nowadays|lately|recently|currently|at the moment|for now|anymore|any more|any longer|though|too|as well|btw|by the way|lol|haha|tbh|honestly|please|pls|thanks|thank you|a lot|very much|so much|a bit|the most|most|more than anything|more than anything else|everywhere|anyway|again|here|actually|today|already|in general|mostly|usually|really|personally|sometimes|to be honest|either|at all|for sure|for it|myself|in my free time|on weekends|on rainy days|from now on|when you write to me)[.!]*$/i

/** Trims a phrase: without subordinate clauses, fillers and punctuation. A comma ends it unless it may be a list. */
export function trimPhrase(text: string, options: { readonly isList?: boolean } = {}): string {
  const marked = options.isList ? text.replace(/,/g, '\u0001') : text
  let left = marked.replace(cut, '').replaceAll('\u0001', ',').trim()
  for (let before = ''; before !== left; ) {
    before = left
    left = left.replace(fillers, '').replace(/[\s,.!:'"-]+$/, '')
  }
  return left.replace(/^["'\s]+/, '')
}

const fixedPairs =
  /\b(mac|rock|fish|drum|salt|arts|rhythm|bed|black|gin|peace|law|pen|trial|research|biscuits|peanut butter) (?:and|n|&) (cheese|roll|chips|bass|vinegar|crafts|blues|breakfast|white|tonic|quiet|order|paper|error|development|gravy|jelly)\b/gi

/** In "experimenting with flavors and recipes" the list is inside the phrase. */
const innerList = /^\S+(?: \S+)? (?:with|between|about|of) \S+(?: \S+)? and \S+$/i

/** The items of "a, b and c". Fixed pairs such as "mac and cheese" are one item. */
export function listOf(text: string): string[] {
  if (innerList.test(trimPhrase(text))) return [trimPhrase(text)]
  return trimPhrase(text.replace(fixedPairs, '$1\u0002and\u0002$2'), { isList: true })
    .split(/,? (?:and|or|nor|plus|&) (?:also )?|, | \/ /)
    .map((item) => trimPhrase(item.replaceAll('\u0002', ' ')))
    .filter((item) => item !== '')
    .slice(0, 12)
}

const determiner = /^(?:a|an|the|some|any|all|my|our|those|these|most|more|of) /i

function withoutDeterminer(text: string): string {
  return text.replace(determiner, '').replace(determiner, '')
}

/** A phrase as part of a claim key. */
export function keyOf(text: string): string {
  return slug(withoutDeterminer(text)).replace(/\bcolour\b/, 'color')
}

/** One key for "nuts" and "nut". */
export function singularKey(text: string): string {
  const key = keyOf(text)
  if (/(?:ss|us|is)$/.test(key) || key.length < 4) return key
  return key.replace(/ies$/, 'y').replace(/(?:(ch|sh|x|o)es|s)$/, '$1')
}

/** Whether a text has at least one and at most `wordsMax` words. */
export function isShort(text: string, wordsMax: number): boolean {
  const count = wordsOf(text).length
  return count >= 1 && count <= wordsMax && text.length <= 120
}

const vague =
  /^(?:it|its|it is|that|this|these|those|them|they|him|her|he|she|you|your|yours|what|how|when|where|why|which|who|everything|anything|nothing|something|someone|there|here|one|both|all of|none|so|to|in|on|at|for|if|i|me|mine|his|their|each|either|another|other|more|being able|your .+|the (?:idea|way|sound|look|option|one|first|second|third|last|new|previous|next|same|other|version|design|suggestion|answer|result|plan|fact|thought|feature|part|rest)|as|with|sure|no|not|yes|doing (?:it|this|that)|a (?:question|problem|lot|few|bit))(?: |$)/i

const knownThe =
  /^the (?:cold|heat|beach|sea|mountains?|gym|outdoors|ocean|countryside|rain|snow|city|sun|forest|theatre|theater|opera|summer|winter|autumn|fall|spring|news|night|dark|desert|woods)$/i

/** Whether a text names a specific thing and does not refer to something said before. */
export function isSpecificThing(text: string, wordsMax = 6): boolean {
  if (!isShort(text, wordsMax) || vague.test(text) || !/\p{L}|\p{N}/u.test(text)) return false
  if (/ (?:it|them|that|this|those|these|him|her|you|there|one)$/i.test(text)) return false
  return !/^the /i.test(text) || knownThe.test(text) || startsUpper(text.slice('the '.length))
}

const particles: ReadonlySet<string> = new Set([
  'de',
  'da',
  'do',
  'la',
  'le',
  'of',
  'the',
  'von',
  'van',
  'der',
  'den',
  'and',
  'near',
  'in',
  'a',
])

/** Capitalises a name that is written in lower case. */
export function properName(text: string): string {
  return capitaliseName(text, particles)
}

/** Rewrites the first person to the third: a content is about the user. */
export function toThirdPerson(text: string): string {
  return text
    .replace(/\b(?:my|our)\b/gi, 'their')
    .replace(/\b(?:me|us)\b/g, 'them')
    .replace(/\b(?:myself|ourselves)\b/gi, 'themselves')
    .replace(/\b(?:I|we)\b/g, 'they')
}

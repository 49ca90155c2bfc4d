import type { ExtractionRule, Finding } from '../../language.ts'
import { isShort, isSpecificThing, keyOf, listOf, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { gerund, gerundPhrase } from './verbs.ts'

const taste = { category: 'preference', importance: 5 } as const

/** The liked thing. Actions use the -ing form, so that "to bake" and "baking" are the same. */
function thing(text: string): string {
  const [, action = ''] = /^to (?!be\b)(.+)$/i.exec(text) ?? []
  return (action === '' ? text : gerundPhrase(action))
    .replace(/^(?:doing|going) (?:some )?(?=\w+ing\b)/i, '')
    .replace(/^some /i, '')
    .replace(/^(?:a lot of|lots of|listening to|watching|eating|the taste of|the smell of) (?=\S+$)/i, '')
}

/** Time and place, which are not part of the key. */
const circumstance = / (?:on|in the|in|during|at|for|outdoors|indoors|every|each) (?=[a-z]).*$/

const tasteFor =
  (verb: string, isNegated = false) =>
  (text: string): readonly Finding[] => {
    const items = listOf(text)
    // "to cook and bake": the items after an action are actions too.
    const isAction = /^to /i.test(items[0] ?? '')
    return items.flatMap((item, at) => {
      const value = thing(isAction && at > 0 && !/^(?:to|some|an?|the|\w+ing) /i.test(`${item} `) ? `to ${item}` : item)
      if (!isSpecificThing(value, 9)) return nothing
      return finding(taste, `taste.${keyOf(value.replace(circumstance, ''))}`, `${verb} ${value}`, { value, isNegated })
    })
  }

const likes = tasteFor('Likes')
const loves = tasteFor('Loves')
const dislikes = tasteFor('Dislikes', true)

const favourite = (what: string, text: string) => {
  const value = trimPhrase(text)
  const kind = trimPhrase(what).replace(/ of all time$/i, '')
  return isShort(kind, 3) && isShort(value, 8) && !/^(?:that|this|it|when|how|the one|i|to be)\b/i.test(value)
    ? finding(taste, `favourite.${keyOf(kind)}`, `Favourite ${kind} ${/[^s]s$/.test(kind) ? 'are' : 'is'} ${value}`, {
        value,
      })
    : nothing
}

export const tastes: readonly ExtractionRule[] = [
  rule(/^(?:I|we) (?:can not|could not|can never|will never) get enough of (.+)$/i, (text) => loves(text)),
  rule(/^(.{2,40}?) (?:is|are) (?:not|not really) (?:my cup of tea|my thing|for me)$/i, (text) => dislikes(text)),
  rule(/^(.{2,40}?) (?:is|are) (?:one|some) of my (?:all-time )?favourite ?(?:\p{L}+ ?){0,2}$/iu, (text) =>
    likes(text),
  ),
  rule(/^(.{2,40}?) (?:is|are) my (?:all-time |absolute )?favourite$/iu, (text) => likes(text)),
  rule(/^one of my favourite (?:\p{L}+ ){1,2}?(?:is|are) (.+)$/iu, (text) => likes(text)),
  rule(/^my (?:hobbies|hobby|interests|passions?) (?:is|are|include|includes) (.+)$/i, (text) => likes(text)),
  rule(
    /^(?:I|we) (?:do not|no longer|never|did not) (?:really |particularly |actually |much )*(?:like|love|enjoy|care for|want to hear about) (.+)$/i,
    dislikes,
  ),
  rule(/^(?:I|we) (?:used to|once) (?:like|love|enjoy) (.+)$/i, tasteFor('Used to like', true)),
  rule(/^(?:I|we) (?:have )?(?:stopped|quit) (?:liking|enjoying|loving) (.+)$/i, tasteFor('No longer likes', true)),
  rule(/^(?:I|we)? ?(?:can not|could not|can hardly) (?:stand|bear|tolerate) (.+)$/i, dislikes),
  rule(/^(?:I|we) (?:hate|dislike|detest|loathe|despise|am sick of) (.+)$/i, dislikes),
  rule(
    /^(?:I am |we are )?(?:not|no longer|never been) (?:really |exactly |much of )?(?:an? )?(?:big |huge |great )?(?:fan of|into|keen on|fond of|crazy about) (.+)$/i,
    dislikes,
  ),
  rule(/^I like my ((?:morning )?(?:coffee|tea|steak|eggs|toast|whisky|whiskey|pizza)) (.+)$/i, (what, how) =>
    isShort(trimPhrase(how), 5)
      ? finding(taste, `${keyOf(what)}.style`, `Likes their ${what} ${trimPhrase(how)}`, { value: trimPhrase(how) })
      : nothing,
  ),
  rule(
    /^(?:I|we) (?:have )?(?:always |really |absolutely )*(?:love|loved|adore|adored) (?!to (?:know|hear|see)\b)(.+)$/i,
    loves,
  ),
  rule(
    /^(?:I|we) (?:have )?(?:always )?(?:like|liked|enjoy|enjoyed) (?!to (?:know|see|ask|be|have|get)\b)(.+)$/i,
    likes,
  ),
  rule(
    /^(?:I am |we are )?(?:an? )?(?:really |so |super |very |pretty |totally )*(?:big |huge |massive |great |die-hard )?(?:(?:fan|lover) of|(?:into|fond of|keen on|crazy about|mad about|obsessed with|passionate about|addicted to)) (.+)$/i,
    likes,
  ),
  rule(
    /^I am an? (?:big |huge |massive |real |total )?((?:\p{L}+ )?\p{L}+) (?:fan|lover|enthusiast|addict|nerd|buff|geek)$/iu,
    likes,
  ),
  rule(/^(?:I|we) (?:mostly |usually |often |always )?listen to (.+)$/i, (text) =>
    tasteFor('Listens to')(text.replace(/^(?:a lot of|lots of|mostly|mainly) /i, '')),
  ),
  rule(/^my least favourite ((?:\p{L}+ ){0,2}\p{L}+) (?:is|are) (.+)$/iu, (_what, text) => dislikes(text)),
  rule(
    /^(?:my|our) (?:all-time |absolute |current )?favourite ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)(?: of all time)? (?:is|are|has to be|would be|will always be) (?:definitely |probably |still )?(.+)$/iu,
    favourite,
  ),
  rule(
    /^(.{2,60}?) (?:is|are) (?:definitely |still |probably )?(?:my|our) (?:all-time |absolute )?favourite ((?:[\p{L}-]+ ){0,2}[\p{L}-]+)$/iu,
    (text, what) => favourite(what, text),
  ),
  rule(/^the (\p{L}+) I (?:love|like) (?:the )?(?:most|best) is (.+)$/iu, favourite),
  rule(
    /^(?:I|we) (?:can|could) (?:always )?(eat|listen to|watch|drink) (.+?) (?:all day|every day|forever|for every meal)/i,
    (verb, text) =>
      isSpecificThing(text)
        ? finding(taste, `taste.${keyOf(text)}`, `Likes ${gerund(verb.split(' ')[0] ?? '')} ${text}`, { value: text })
        : nothing,
  ),
]

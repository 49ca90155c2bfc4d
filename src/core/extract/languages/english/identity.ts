import type { ExtractionRule } from '../../language.ts'
import { startsUpper } from '../../text.ts'
import { jobAndEmployer } from './employment.ts'
import { nationalities } from './lexicon.ts'
import { isShort, properName, trimPhrase } from './phrases.ts'
import { finding, mention, nothing, rule } from './rule-builders.ts'

const person = { category: 'fact', importance: 9 } as const
const detail = { category: 'fact', importance: 7 } as const
const minor = { category: 'fact', importance: 5 } as const

const notNames =
  /^(?:admin|administrator|root|system|superuser|test|i|a|an|the|not|so|very|here|back|good|fine|ok|okay|sure|sorry|new|done|lost|stuck|sick|sad|happy|ready|late|early|busy|free|glad|afraid|bored|home|in|on|at|from|with|just|also|that|this|it|of|to|for|my|your|no|yes|all|too|about|aware|curious|confused|hungry|thirsty|cold|hot|broke|alone|single|married|vegan|vegetarian|left|right|old|young|tall|short|poor|rich|blind|deaf|pregnant|retired|unemployed|well|nice|unable|able|worried|interested)$/i

function isName(text: string): boolean {
  return (
    isShort(text, 5) &&
    /^[\p{L}\p{M}][\p{L}\p{M}'’. -]*$/u.test(text) &&
    text.split(' ').every((word) => !notNames.test(word)) &&
    !nationalities.has(text.toLowerCase())
  )
}

const named = (text: string, confidence?: number) => {
  const said = properName(trimPhrase(text))
  if (!isName(said) || said.split(' ').length > 5) return nothing
  return finding(person, 'name', `Name is ${said}`, {
    value: said,
    ...(confidence === undefined ? {} : { confidence }),
  })
}

const preferred = (text: string) => {
  const said = properName(trimPhrase(text))
  return isName(said) && isShort(said, 3)
    ? finding(person, 'name.preferred', `Goes by ${said}`, { value: said })
    : nothing
}

/** "I am Dina, product manager at Canva": after "I am" only capitalised words are a name. */
const introduced = (said: string, rest: string) => {
  const words = said.split(' ')
  if (!words.every(startsUpper) || !isName(said) || /(?:ing|ed)$/.test(said)) return nothing
  const [, age = ''] = /^(\d{1,3})(?: years? old)?(?:,|$)/.exec(rest) ?? []
  return [...named(said, 0.85), ...jobAndEmployer(rest), ...(age === '' ? nothing : aged(age, `Is ${age} years old`))]
}

export const identity: readonly ExtractionRule[] = [
  rule(/^(?:hi |hello |hey )?(?:my |the )?(?:full |real |first |given )?name is ((?:\p{L}|\p{M}).*)$/iu, (text) =>
    named(text),
  ),
  rule(/^I am (?:called|named) (.+)$/i, (text) => named(text)),
  rule(
    /^(?:please |you can |just |you may |feel free to )*call me (?!maybe|anytime|asap|crazy|old|back|when|at|on|before|after|if|later|tomorrow|today|in|by)(.+)$/i,
    preferred,
  ),
  rule(/^(?:everyone|everybody|people|my friends|friends|most people|they all) (?:just )?calls? me (.+)$/i, preferred),
  rule(/^I (?:usually )?go by (?!bus|car|train|bike|foot|the)(.+)$/i, preferred),
  rule(
    /^(?:I use|my pronouns are|pronouns are|pronouns) ((?:she|he|they|xe|ze|it)\/\S+?)(?: pronouns)?[.!]*$/i,
    (said) => finding(detail, 'pronouns', `Pronouns are ${said}`, { value: said }),
  ),
  rule(/^I am (\d{1,3})(?: years? old| yo| y\/o)?(?:$|,| now\b| and\b| this\b)/i, (age) =>
    aged(age, `Is ${age} years old`),
  ),
  rule(/^I (?:just |recently )?turned (\d{1,3})\b/i, (age) => aged(age, `Turned ${age}`)),
  rule(/^I (?:am turning|will be|turn|will turn) (\d{1,3})\b(?! (?:min|hour|day|week|month))(.*)$/i, (age, when) =>
    aged(age, trimPhrase(`Turns ${age}${when}`)),
  ),
  rule(
    /^my birthday is (?:on |the )*(.*(?:\d|january|march|april|may|june|july|august|november|december).*)$/i,
    (day) => finding(person, 'birthday', `Birthday is ${trimPhrase(day)}`, { value: trimPhrase(day) }),
  ),
  rule(/^I was born on (.+)$/i, (day) =>
    finding(person, 'birthday', `Was born on ${trimPhrase(day)}`, { value: trimPhrase(day) }),
  ),
  rule(/^I was born in (\d{4})\b/i, (year) => finding(person, 'birth.year', `Was born in ${year}`, { value: year })),
  rule(/^I am (left|right)[- ]handed/i, (side) =>
    finding(minor, 'handedness', `Is ${side.toLowerCase()}-handed`, { value: side }),
  ),
  rule(/^I am ((?:half[- ])?(?:\p{L}+|south african))(?: by birth| citizen)?[.!]*$/iu, (said) =>
    nationalities.has(said.toLowerCase().replace(/^half[- ]/, ''))
      ? finding(detail, 'nationality', `Is ${properName(said)}`, { value: properName(said) })
      : nothing,
  ),
  rule(/^my (?:personal |work |private )?e-?mail(?: address)? is (\S+@\S+\.\S*\w)/i, (address) =>
    finding(detail, 'contact.email', `Email address is ${address}`, { value: address }),
  ),
  rule(
    /^my (?:phone|mobile|cell|telephone|contact)?(?: phone)? ?(?:number )?is (\+?[\d(][\d ()/-]{4,20}\d)/i,
    (number) => finding(detail, 'contact.phone', `Phone number is ${number}`, { value: number }),
  ),
  rule(/^I (?:weigh|am) (?:approx\.? |about |around |roughly )?([\d.,]+ ?(?:kg|kilos?|pounds|lbs?|stone))\b/i, (said) =>
    finding(minor, 'body.weight', `Weighs ${said}`, { value: said }),
  ),
  rule(
    /^I am (?:approx\.? |about |around |roughly )?([\d.,]+ ?(?:m|cm|meters?|metres?|feet|ft|foot)(?: \d+)?|\d'\d+"?) ?(?:tall|$)/i,
    (said) => finding(minor, 'body.height', `Is ${said} tall`, { value: said }),
  ),
  rule(/^(?:e\.g\.? )?my (shoe|shirt|dress|ring|hat|clothing) size is (.+)$/i, (what, said) =>
    finding(minor, `size.${what.toLowerCase()}`, `${what} size is ${trimPhrase(said)}`, { value: trimPhrase(said) }),
  ),
  rule(/^my blood (?:type|group) is (.+)$/i, (said) =>
    finding(detail, 'blood.type', `Blood type is ${trimPhrase(said)}`, { value: trimPhrase(said) }),
  ),
  rule(
    /^(?:[Tt]his is|I am) (\p{Lu}[\p{L}\p{M}'-]+(?: \p{Lu}[\p{L}\p{M}'-]+){0,2})(?:, (.*)| (?:from|at|and|with) .*|[.!]*)$/u,
    (said, rest) => introduced(said, rest),
  ),
]

function aged(age: string, content: string) {
  return Number(age) >= 3 && Number(age) <= 120 ? finding(detail, 'age', content, { value: age }) : nothing
}

/** After a greeting, a name in lower case counts too. */
export const greeting: readonly ExtractionRule[] = [
  mention(
    /^(?:hi|hello|hey|hiya|hi there|hey there|hello there)[,! ]+I am ([\p{L}\p{M}'-]{2,20})(?=,? and\b|,|[.!]*$)/iu,
    (said) => (/(?:ing|ed)$/.test(said) ? nothing : named(said, 0.8)),
  ),
]

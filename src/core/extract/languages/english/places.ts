import type { ExtractionRule } from '../../language.ts'
import { startsUpper, wordsOf } from '../../text.ts'
import { countries, isKnownTool, regions } from './lexicon.ts'
import { isShort, isSpecificThing, keyOf, properName, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'

const home = { category: 'fact', importance: 8 } as const
const past = { category: 'fact', importance: 5 } as const
const trip = { category: 'goal', importance: 6, confidence: 0.8 } as const

const afterPlace =
  / (?:in (?!the\b)(?=\d|[a-z]+ \d|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|fall|winter)|since|for|with|last|this|next|about|around|a (?:while|long|few|couple|year|month|week)|two|three|\d+|from|when|where|together|just|ago|on|during|twice|once|many|several|before|alone|permanently|full-time|to (?:be|work|study|live|start)|by|at|as|right)\b.*$/i

/** The place in a phrase. In "Bonn, Germany" the part after the comma belongs to it only when it is a name. */
function placeIn(text: string, keepsNear = false): string {
  const [first = '', second = ''] = text.split(', ')
  const town = trimPhrase(first)
    .replace(afterPlace, '')
    .replace(keepsNear ? /^$/ : / (?:near|outside|close to|not far from)\b.*$/i, '')
  const region = trimPhrase(second).replace(afterPlace, '')
  const isRegion =
    region !== '' && wordsOf(region).length <= 3 && (startsUpper(region) || countries.has(region.toLowerCase()))
  const joined = isRegion && !/^(?:I|We|My|And|But|It|The user)\b/.test(region) ? `${town}, ${region}` : town
  return joined.replace(/[.!]+$/, '')
}

function isPlace(place: string): boolean {
  if (
    !isSpecificThing(place.split(',')[0] ?? '', 4) ||
    /^(?:a|an|my|our|your|some|fear|peace|denial|hope|love|hell|home|work|bed|school|try|see|do|be|get|make|go|help|use|add|fix) ?(?: |$)/i.test(
      place,
    )
  )
    return countries.has(place.toLowerCase())
  return /^[\p{L}\p{M}]/u.test(place)
}

const lives =
  (verb: string, isNegated = false, confidence = 0.9) =>
  (text: string) => {
    const place = placeIn(text)
    // "Moved to React" is not a place.
    if (!isPlace(place) || isKnownTool(place)) return nothing
    const lower = place.toLowerCase()
    const key = countries.has(lower) ? 'home.country' : regions.has(lower) ? 'home.region' : 'home.city'
    return finding(home, key, `${verb} ${properName(place)}`, { value: properName(place), isNegated, confidence })
  }

const from = (verb: string) => (text: string) => {
  const place = properName(placeIn(text.replace(/^(?:the )?(?:city|town) of /i, ''), true))
  if (!isShort(place, 8) || !/\p{L}/u.test(place)) return nothing
  // "from a small town in Ohio" is an origin, "from a friend" is not: a place has a name or is known.
  const hasName =
    wordsOf(place).some(startsUpper) &&
    !/^(?:a friend|my|your|his|her|the (?!us|uk|netherlands)|(?:work|school|home|here|there|hr|it|pr|qa|sales|support|marketing|accounting|legal|finance)$)/i.test(
      place,
    )
  return hasName ? finding(home, 'origin', `${verb} ${place}`, { value: place }) : nothing
}

const travels = (text: string) => {
  const place = placeIn(text)
  return isPlace(place) && startsUpper(place) && !/ing\b/i.test(place)
    ? finding(trip, `travel.${keyOf(place)}`, `Is going to ${trimPhrase(text)}`, { value: place })
    : nothing
}

const zone = (text: string) => {
  const said = trimPhrase(text)
    .replace(/^(?:the |in the |on )+/i, '')
    .replace(/ (?:time ?zone|tz)$/i, '')
  return isShort(said, 4)
    ? finding({ category: 'fact', importance: 7 }, 'timezone', `Time zone is ${said}`, { value: said })
    : nothing
}

export const places: readonly ExtractionRule[] = [
  rule(
    /^(?:I|we) (?:(?:do not|no longer) (?:live|reside)|(?:am|are) (?:not|no longer) (?:based|living)) in (.+)$/i,
    lives('No longer lives in', true),
  ),
  rule(
    /^(?:I|we) (?:am|are) (?:not|no longer) in (.+?) (?:anymore|any more|any longer)$/i,
    lives('No longer lives in', true, 0.75),
  ),
  rule(/^(?:I|we) (?:used to live|lived) in (.+)$/i, lives('Used to live in', true)),
  rule(
    /^(?:I|we) (?:live|reside|(?:am|are) (?:living|based|located|residing)|have (?:lived|been living)) (?:right |just |now )?in (.+)$/i,
    lives('Lives in'),
  ),
  rule(
    /^(?:I|we) (?:have )?(?:just |recently |finally )*(?:moved|relocated) (?:here )?from .{2,40}? to (.+)$/i,
    lives('Moved to'),
  ),
  rule(
    /^(?:I|we) (?:have )?(?:just |recently |finally )*(?:moved|relocated) (?:back |over |away |out )*to (.+)$/i,
    lives('Moved to'),
  ),
  rule(/^(?:home (?:for me )?is|my home (?:town |city )?is|my hometown is) (?:in )?(.+)$/i, lives('Lives in')),
  rule(/^(?:I|we) (?:am|are|come|was) (?:originally )?from (.+)$/i, from('Is from')),
  rule(/^(?:I|we) (?:originally )?(?:come|came|hail) from (.+)$/i, from('Is from')),
  rule(/^(?:I|we) (?:was|were) (?:born|raised|born and raised) in (.+)$/i, from('Was born in')),
  rule(/^(?:I|we) (?:grew up|was brought up|spent my childhood) in (.+)$/i, from('Grew up in')),
  rule(/^(?:I|we) (?:have )?(?:been to|visited) (.+)$/i, (text) => {
    const place = placeIn(text)
    return isPlace(place) && startsUpper(place)
      ? finding(past, `visited.${keyOf(place)}`, `Has been to ${trimPhrase(text)}`, { value: place })
      : nothing
  }),
  rule(
    /^(?:I|we) (?:am|are|will be) (?:flying|travel+ing|going|heading|driving|off) (?:back |over )?to (\p{Lu}.*)$/u,
    travels,
  ),
  rule(/^(?:I|we) (?:am|are|will be) visiting (\p{Lu}.*)$/u, travels),
  rule(/^(?:I|we) (?:am|are) (?:in|on) (?:the )?(.+?) (?:time ?zone|time|tz)$/i, zone),
  rule(/^my time ?zone is (.+)$/i, zone),
  rule(/^I am (?:in |on |at )?((?:utc|gmt) ?[+-] ?\d{1,2}(?::\d\d)?)$/i, zone),
  rule(/^I am (?:in|on) ([CEPM][SD]?T|CEST|EEST|BST|IST|JST|UTC|GMT|AEST)$/, zone),
]

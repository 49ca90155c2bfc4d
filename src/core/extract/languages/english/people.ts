import type { ExtractionRule, Finding } from '../../language.ts'
import { startsUpper, upperFirst } from '../../text.ts'
import { isShort, keyOf, listOf, properName, trimPhrase } from './phrases.ts'
import { finding, mention, nothing, rule } from './rule-builders.ts'

const close = { category: 'relationship', importance: 8 } as const
const known = { category: 'relationship', importance: 6 } as const
/** The confidence of an incidental mention. */
const mentioned = 0.8

type Kin = { readonly nouns: string; readonly slot: string; readonly isSingle: boolean; readonly isClose: boolean }

/**
 * Kinds of people and pets. Some are unique, and the name fills the slot; of others there may be several, each with its own
 * key.
 */
const kinds: readonly Kin[] = [
  {
    nouns: 'wife|hubby|husband|partner|girlfriend|boyfriend|fiancée?|spouse|fiancee',
    slot: 'partner.name',
    isSingle: true,
    isClose: true,
  },
  {
    nouns: 'son|daughter|kid|child|baby|sons|daughters|kids|children|twins|stepson|stepdaughter',
    slot: 'child',
    isSingle: false,
    isClose: true,
  },
  { nouns: 'brother|sister|brothers|sisters|twin|siblings', slot: 'sibling', isSingle: false, isClose: true },
  { nouns: 'mom|mother|mum', slot: 'mother.name', isSingle: true, isClose: true },
  { nouns: 'dad|father', slot: 'father.name', isSingle: true, isClose: true },
  { nouns: 'grandma|grandmother|granny|nana', slot: 'grandmother', isSingle: false, isClose: false },
  { nouns: 'grandpa|grandfather', slot: 'grandfather', isSingle: false, isClose: false },
  {
    nouns:
      'dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|pony|bunny|budgie|turtle|tortoise|goldfish|snake|lizard|guinea pig|dogs|cats|ferret|pet|bird|fish',
    slot: 'pet',
    isSingle: false,
    isClose: true,
  },
  { nouns: 'manager|boss|supervisor|line manager|team lead', slot: 'manager.name', isSingle: true, isClose: false },
  {
    nouns: 'coworker|co-worker|colleague|teammate|coworkers|colleagues|team mate',
    slot: 'colleague',
    isSingle: false,
    isClose: false,
  },
  {
    nouns: 'friend|best friend|buddy|bestie|friends|mate|flatmate|roommate|housemate|best friends',
    slot: 'friend',
    isSingle: false,
    isClose: false,
  },
  { nouns: 'landlord|landlady', slot: 'landlord.name', isSingle: true, isClose: false },
  { nouns: 'therapist', slot: 'therapist.name', isSingle: true, isClose: false },
  { nouns: 'doctor|gp|physician', slot: 'doctor.name', isSingle: true, isClose: false },
  {
    nouns:
      'cousin|uncle|aunt|niece|nephew|mother-in-law|father-in-law|sister-in-law|brother-in-law|neighbour|neighbor|godson|goddaughter',
    slot: 'relative',
    isSingle: false,
    isClose: false,
  },
]

const nouns = kinds.map((kind) => kind.nouns).join('|')
const kindOf = (noun: string) => kinds.find((kind) => kind.nouns.split('|').includes(noun.toLowerCase()))

const notNamed =
  /^(?:I|A|An|The|And|Is|Was|Has|My|Our|He|She|They|It|Who|That|Not|In|On|At|To|For|Very|Also|So|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b/i

function relates(noun: string, text: string, confidence?: number): readonly Finding[] {
  const kind = kindOf(noun)
  if (kind === undefined) return nothing
  return listOf(text).flatMap((item) => {
    const said = properName(item)
    if (!isShort(said, 3) || notNamed.test(said) || !/^[\p{L}\p{M}][\p{L}\p{M}'. -]*$/u.test(said)) return nothing
    const one = noun
      .toLowerCase()
      .replace(/^(.+?)s$/, (all, stem) => (kind.nouns.split('|').includes(stem) ? stem : all))
    const key = kind.isSingle ? kind.slot : `${kind.slot}.${keyOf(said)}`
    const details = { value: said, ...(confidence === undefined ? {} : { confidence }) }
    return finding(kind.isClose ? close : known, key, `${upperFirst(one)} is called ${said}`, details)
  })
}

const named = '(?:named|called|whose name is|by the name of)'
const status = (content: string, isNegated = false) =>
  finding(close, 'relationship.status', content, { value: content, isNegated })
const count = '(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}|no|twin|triplet|several)'
const children = 'kids?|child|children|sons?|daughters?|twins|triplets|boys|girls'
const animals =
  'dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|parrots?|horses?|pon(?:y|ies)|fish|snakes?|turtles?|tortoises?|lizards?|birds?|chickens?|guinea pigs?|ferrets?|bunn(?:y|ies)|goldfish'

/** A number of children, siblings or pets without names. */
function has(number: string, what: string): readonly Finding[] {
  const lower = what.toLowerCase()
  const isNone = /^(?:no|any)$/i.test(number)
  const content = isNone ? `Has no ${what}` : `Has ${number} ${what}`
  if (new RegExp(`^(?:${animals})$`).test(lower))
    return finding(close, `pet.${keyOf(what)}`, content, { value: what, isNegated: isNone })
  const isOne = /^(?:a|an|one)$/i.test(number)
  if (/^(?:brother|sister|sibling)s?$/.test(lower))
    return finding(known, `${lower.replace(/s$/, '')}.count`, content, { value: number, isNegated: isNone })
  if (isOne && /^(?:son|daughter|child|kid)$/.test(lower))
    return finding(close, `child.${lower}`, content, { value: what })
  return finding(close, 'children.count', content, { value: number, isNegated: isNone })
}

export const people: readonly ExtractionRule[] = [
  rule(
    new RegExp(
      `^(?:my|our) (?:new |little |older |younger |eldest |youngest |big )?(${nouns})(?:'s?)?(?: names?)? (?:is|are)(?: (?:called|named))? (.+)$`,
      'iu',
    ),
    (noun, text) =>
      /^(?:is|are)? ?(?:an?|the|my|not|in|at|on|from|very|so|also|coming|visiting)\b|ing\b/i.test(text) ||
      !/\p{L}/u.test(text)
        ? nothing
        : relatesIfName(noun, text),
  ),
  rule(
    new RegExp(
      `^(?:I|we) (?:have|adopted|got|just got|own|just adopted|rescued) (?:${count}) (?:\\w+ ){0,2}?(${nouns}),? ${named} (.+)$`,
      'iu',
    ),
    (noun, text) => relates(noun, text),
  ),
  rule(/^I am (?:engaged|married) to (\p{Lu}.*)$/u, (text) =>
    relates('partner', text.replace(/ (?:since|for|and|from|who)\b.*$/, '')),
  ),
  rule(/^I report (?:directly )?to (.+)$/i, (text) => relates('manager', text)),
  rule(
    /^(?:I|we) (?:am|are|got|have been|just got|recently got|have gotten) (?:happily |recently |now |still |newly )*(married|single|divorced|engaged|widowed|separated|in a relationship)\b(.*)$/i,
    (said, rest) => (/^ to\b/i.test(rest) ? nothing : status(trimPhrase(`Is ${said}${rest}`))),
  ),
  rule(/^(?:I|we) (?:am|are) (?:not|no longer) (married|single|engaged|together|in a relationship)\b/i, (said) =>
    status(`Is not ${said}`, true),
  ),
  rule(/^(?:I|we) (?:have )?(?:just |recently )?(?:broke|broken|split) up\b/i, () =>
    status('Broke up with their partner, no longer together', true),
  ),
  rule(
    /^(?:I|we) have an? (\d{1,2}|\w+)[- ](year|month)s?[- ]old (son|daughter|kid|child|baby|boy|girl)/i,
    (age, unit, who) =>
      finding(close, `child.${who.toLowerCase()}`, `Has a ${who} who is ${age} ${unit}s old`, { value: who }),
  ),
  rule(
    new RegExp(
      `^(?:I|we) (?:do not|have never) (?:have|had) (?:any )?(${children}|${animals}|siblings|brothers|sisters)\\b`,
      'i',
    ),
    (what) => has('any', what),
  ),
  rule(
    new RegExp(
      `^(?:I|we) (?:have|own|got|just got|adopted) (${count}) (?:\\w+ )?(${children}|${animals}|brothers?|sisters?|siblings?)\\b`,
      'i',
    ),
    (number, what) => has(number, what),
  ),
  rule(
    new RegExp(
      `^I am (?:an? |the )?(?:proud |single |happy )?(?:mom|mother|dad|father|parent) (?:of|to) (?:an? )?(${count}|twins|triplets)\\b`,
      'i',
    ),
    (number) => finding(close, 'children.count', `Is a parent of ${number}`, { value: number }),
  ),
  rule(/^I am an only child\b/i, () => finding(known, 'siblings', 'Is an only child', { value: 'only child' })),
]

/** After "is" only a capitalised or very short text is a name. */
function relatesIfName(noun: string, text: string): readonly Finding[] {
  const [first = ''] = text.split(' ')
  return startsUpper(first) || isShort(trimPhrase(text), 2) ? relates(noun, text) : nothing
}

const counted = mention(
  /(?<![\p{L}'])(?:my|our|my (?:wife|husband|hubby|partner) and(?: our)?) (two|three|four|five|six|\d) (?:\w+ )?(kids|children|sons|daughters|dogs|cats)(?!\p{L})/iu,
  (number, what) => has(number, what).map((found) => ({ ...found, confidence: mentioned })),
)

const namedMention = mention(
  new RegExp(
    `(?<![\\p{L}'])(?:[Mm]y|[Oo]ur|[Aa]n?) (?:new |little |older |younger |old |best |baby )?(${nouns})(?:,| ${named})? (\\p{Lu}[\\p{L}\\p{M}'-]*\\p{Ll}(?: \\p{Lu}[\\p{L}-]*\\p{Ll})?)(?!['’\\p{L}])`,
    'u',
  ),
  (noun, text) => relates(noun, text, mentioned),
)

export const mentions: readonly ExtractionRule[] = [counted, namedMention]

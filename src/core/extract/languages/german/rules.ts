import type { Category } from '../../../provenance/category.ts'
import type { ExtractionRule, Finding } from '../../language.ts'
import { capitaliseName, slug, upperFirst, wordsOf } from '../../text.ts'

const nothing: readonly Finding[] = []

const cut = /(?:[,;(!?]| (?:weil|da|denn|aber|obwohl|wenn|seit|mit|und (?:ich|mein|meine|wir))(?!\p{L})).*$/iu
const filler = / (?:jetzt|gerade|zurzeit|übrigens|sehr|gern|gerne|lieber|bitte|mehr|nicht mehr|auch|am liebsten)$/iu

function tidy(text: string): string {
  return text
    .replace(cut, '')
    .replace(filler, '')
    .replace(/[\s.,!]+$/, '')
    .trim()
}

function listOf(text: string): string[] {
  return text
    .replace(/[.!]+$/, '')
    .split(/, | und | oder | sowie /)
    .map(tidy)
    .filter((item) => item !== '' && wordsOf(item).length <= 4)
    .slice(0, 12)
}

const name = (text: string) => capitaliseName(tidy(text), new Set(['von', 'der', 'am', 'an', 'im', 'bei']))
const bare = (text: string) => text.replace(/^(?:den|die|das|der|ein|eine|einen|keine|keinen|kein|meine|meinen) /iu, '')
const isVague = (text: string) =>
  text === '' || /^(?:es|das|dich|sie|ihn|dies|diese|dieses|wie|dass|nicht|in|zu|was)(?!\p{L})/iu.test(text)

type Slot = { readonly category: Category; readonly importance: number; readonly isNegated?: boolean }

/** A rule for one slot that the whole value fills. */
const fills = (slot: Slot, claimKey: string, toContent: (value: string) => string) => (text: string) => {
  const value = name(text)
  return isVague(value) || wordsOf(value).length > 5 ? nothing : [make(slot, claimKey, toContent(value), value)]
}

/** A rule with one slot for each item of a list. */
const each = (slot: Slot, prefix: string, toContent: (value: string) => string) => (text: string) =>
  listOf(text).flatMap((item) =>
    isVague(item) ? nothing : [make(slot, `${prefix}.${slug(bare(item))}`, toContent(item), item)],
  )

function make(
  { category, importance, isNegated = false }: Slot,
  claimKey: string,
  content: string,
  value: string,
): Finding {
  return { content: upperFirst(content), category, claimKey, importance, confidence: 0.9, value, isNegated }
}

/** "keine Oliven und Pilze": the negation applies to each item. */
function withoutAny(text: string): readonly Finding[] {
  return listOf(text).map((item) => {
    const value = bare(item)
    return make(
      { ...taste, isNegated: true },
      `taste.${slug(value)}`,
      `Mag ${/^kein/i.test(item) ? item : `keine ${item}`}`,
      value,
    )
  })
}

const fact = { category: 'fact', importance: 8 } as const
const taste = { category: 'preference', importance: 5 } as const
const setting = { category: 'preference', importance: 6 } as const
const close = { category: 'relationship', importance: 8 } as const

export const germanRules: readonly ExtractionRule[] = [
  {
    when: /^(?:ich heiße|mein name ist) (.+)$/iu,
    make: fills({ ...fact, importance: 9 }, 'name', (value) => `Heißt ${value}`),
  },
  {
    when: /^(?:ich|wir) (?:wohne|wohnen|lebe|leben) nicht mehr in (.+)$/iu,
    make: fills({ ...fact, isNegated: true }, 'home.city', (value) => `Wohnt nicht mehr in ${value}`),
  },
  {
    when: /^(?:ich|wir) (?:wohne|wohnen|lebe|leben) in (.+)$/iu,
    make: fills(fact, 'home.city', (value) => `Wohnt in ${value}`),
  },
  {
    when: /^(?:ich bin|wir sind) (?:\p{L}+ )?nach (.+?) (?:gezogen|umgezogen)/iu,
    make: fills(fact, 'home.city', (value) => `Ist nach ${value} gezogen`),
  },
  {
    when: /^(?:ich komme|ich stamme|wir kommen) (?:ursprünglich )?aus (.+)$/iu,
    make: fills(fact, 'origin', (value) => `Kommt aus ${value}`),
  },
  {
    when: /^ich arbeite nicht mehr (?:bei|für) (.+)$/iu,
    make: fills({ ...fact, isNegated: true }, 'employer', (value) => `Arbeitet nicht mehr bei ${value}`),
  },
  { when: /^ich arbeite (?:bei|für) (.+)$/iu, make: fills(fact, 'employer', (value) => `Arbeitet bei ${value}`) },
  {
    when: /^ich (?:arbeite als|bin) (?:ein |eine )?(\p{L}*(?:lehrer|ärztin|arzt|ingenieur|entwickler|pfleger|krankenschwester|anwalt|anwältin|koch|köchin|bäcker|verkäufer|berater|designer|student|rentner|architekt|journalist|informatiker|techniker|mechaniker|tischler|friseur|leiter|manager)(?:in)?)(?: .*)?$/iu,
    make: fills(fact, 'job.title', (value) => `Arbeitet als ${value}`),
  },
  { when: /^ich (?:mag|esse|trinke|liebe) (keine?n? .+)$/iu, make: withoutAny },
  {
    when: /^ich mag (.+?) nicht$/iu,
    make: each({ ...taste, isNegated: true }, 'taste', (value) => `Mag ${value} nicht`),
  },
  {
    when: /^ich (?:hasse|verabscheue) (.+)$/iu,
    make: each({ ...taste, isNegated: true }, 'taste', (value) => `Mag ${value} nicht`),
  },
  { when: /^ich (?:mag|liebe) (.+)$/iu, make: each(taste, 'taste', (value) => `Mag ${value}`) },
  {
    when: /^mein(?:e)? lieblings(\p{L}+) (?:ist|sind) (.+)$/iu,
    make: (what, text) =>
      fills(taste, `favourite.${slug(what)}`, (value) => `Lieblings${what.toLowerCase()} ist ${value}`)(text),
  },
  {
    when: /^ich bin (vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch)/iu,
    make: fills({ ...setting, importance: 7 }, 'diet', (value) => `Ist ${value}`),
  },
  {
    when: /^ich bin allergisch (?:gegen|auf) (.+)$/iu,
    make: each({ ...fact, importance: 10 }, 'allergy', (value) => `Ist allergisch gegen ${value}`),
  },
  {
    when: /^meine? (?:frau|mann|freundin|partner|partnerin|ehemann|ehefrau) (?:heißt|ist die|ist der) (.+)$/iu,
    make: fills(close, 'partner.name', (value) => `Partner heißt ${value}`),
  },
  {
    when: /^meine? (?:hund|katze|kater|hamster|pferd|kaninchen) heißt (.+)$/iu,
    make: each(close, 'pet', (value) => `Haustier heißt ${capitaliseName(value, new Set())}`),
  },
  {
    when: /^meine? (?:sohn|tochter|kind|kinder) (?:heißt|heißen) (.+)$/iu,
    make: each(close, 'child', (value) => `Kind heißt ${capitaliseName(value, new Set())}`),
  },
  {
    when: /^(?:ich habe|wir haben) (\p{L}+|\d+) kinder/iu,
    make: (count) => [
      make({ ...close, isNegated: /^keine$/i.test(count) }, 'children.count', `Hat ${count} Kinder`, count),
    ],
  },
  {
    when: /^(?:ich (?:möchte|will)|wir wollen) (.+ (?:lernen|werden|kaufen|bereisen|besuchen|aufhören|abnehmen|gründen|schreiben))$/iu,
    make: (text) => [make({ category: 'goal', importance: 7 }, `goal.${slug(text, 50)}`, `Möchte ${text}`, text)],
  },
  {
    when: /^ich spreche (?!mit|über|von|gerade)(.+)$/iu,
    make: each({ category: 'expertise', importance: 6 }, 'language.spoken', (value) => `Spricht ${value}`),
  },
  {
    when: /^(?:bitte )?(?:antworte|schreib|schreibe|sprich)(?: mir| mit mir| immer| bitte)* auf (\p{L}+)/iu,
    make: fills(setting, 'language.reply', (value) => `Möchte Antworten auf ${value}`),
  },
  {
    when: /^(?:ich (?:bevorzuge|nutze|benutze|mag|möchte) )(?:den |das |die )?((?:dunkl|hell)\p{L}+ (?:modus|design|theme|ansicht))/iu,
    make: fills(setting, 'ui.theme', (value) => `Bevorzugt ${value}`),
  },
]

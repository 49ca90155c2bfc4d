import type { ExtractionRule, Finding } from '../../language.ts'
import { upperFirst } from '../../text.ts'
import { isShort, isSpecificThing, keyOf, listOf, singularKey, trimPhrase } from './phrases.ts'
import { finding, mention, nothing, rule } from './rule-builders.ts'

const danger = { category: 'fact', importance: 10, confidence: 0.95 } as const
const condition = { category: 'fact', importance: 8 } as const
const diet = { category: 'preference', importance: 7 } as const

const diets =
  'vegetarian|vegan|pescatarian|pescetarian|flexitarian|keto|paleo|gluten-free|halal|kosher|plant-based|low-carb|lactose-free|dairy-free|carnivore|fruitarian|raw vegan'

const allergic = (text: string, isNegated = false): readonly Finding[] =>
  listOf(text.replace(/^(?:to|both|all|any|all kinds of|most) /i, '')).flatMap((item) =>
    isSpecificThing(item, 4)
      ? finding(
          danger,
          `allergy.${singularKey(item)}`,
          isNegated ? `Is not allergic to ${item}` : `Is allergic to ${item}`,
          { value: item, isNegated },
        )
      : nothing,
  )

const conditions =
  /^(?:an? |the |my |severe |mild |chronic |seasonal |terrible |really bad |bad )*((?:type \d |type-\d )?diabetes|asthma|adhd|add|autism|epilepsy|migraines?|celiac disease|coeliac disease|crohn'?s(?: disease)?|arthritis|hypertension|high blood pressure|low blood pressure|depression|anxiety|insomnia|ibs|pcos|endometriosis|cancer|lupus|ms|multiple sclerosis|tinnitus|dyslexia|eczema|psoriasis|scoliosis|sleep apnea|ptsd|ocd|bipolar(?: disorder)?|hay fever|anemia|hypothyroidism|back pain|a bad back|a bad knee|fibromyalgia|long covid|parkinson'?s|color blindness|vertigo|glaucoma|gout|osteoporosis|a pacemaker|heart condition|reflux|gerd)\b/i

const ill = (text: string, isNegated = false): readonly Finding[] => {
  const [, what = ''] = conditions.exec(text) ?? []
  return what === ''
    ? nothing
    : finding(condition, `health.${keyOf(what)}`, isNegated ? `Does not have ${what}` : `Has ${what}`, {
        value: what,
        isNegated,
      })
}

const avoids =
  (verb: string, isNegated = true) =>
  (text: string): readonly Finding[] =>
    listOf(text.replace(/^(?:any|much|a lot of|lots of) /i, '')).flatMap((item) => {
      const [what = ''] = item.split(/ (?:after|before|at|in|on|during|for|since|past|with|until|again)\b/i)
      if (!isSpecificThing(what, 3)) return nothing
      return finding(diet, `diet.${keyOf(what)}`, `${verb} ${item}`, { value: what, isNegated })
    })

const drinks = (content: string, isNegated: boolean) => () =>
  finding(diet, 'diet.alcohol', content, { value: 'alcohol', isNegated })

export const health: readonly ExtractionRule[] = [
  rule(/^I am (?:very |severely |deathly |highly |terribly |mildly |also )*allergic to (.+)$/i, (text) =>
    allergic(text),
  ),
  rule(/^I am (?:not|no longer) allergic to (.+)$/i, (text) => allergic(text, true)),
  rule(
    /^(?:I have |I suffer from )?(?:an? )?(?:severe |bad |mild |serious |strong )?((?:\p{L}+ )?\p{L}+) allerg(?:y|ies)(?: here)?[.!]*$/iu,
    (what) =>
      /^(?:no|any|an?|my|your|the|food|some)$/i.test(what) || /\b(?:no|any|your|is|the)\b/i.test(what)
        ? nothing
        : allergic(what),
  ),
  rule(/^I (?:have|am suffering from) (?:an? )?allerg(?:y|ies) (?:to|against) (.+)$/i, (text) => allergic(text)),
  rule(/^my allergies (?:are|include) (.+)$/i, (text) => allergic(text)),
  rule(/^I (?:am|have an?) (lactose|gluten|fructose|histamine)[- ]intoleran(?:t|ce)/i, (what) =>
    finding(danger, `allergy.${what.toLowerCase()}`, `Is ${what} intolerant`, { value: what }),
  ),
  rule(
    /^I (?:am|have (?:been|gone)|went|became|have become|turned) (?:an? )?(?:strict |strictly |mostly |fully |mainly )?(\p{L}[\p{L} -]+?)(?:$|,? (?:now|for|since|and|so|but|because|again|these days|at the moment|person|diet)\b)/iu,
    (said) =>
      new RegExp(`^(?:${diets})$`, 'i').test(said)
        ? finding(diet, 'diet', `Is ${said.toLowerCase()}`, { value: said })
        : nothing,
  ),
  rule(new RegExp(`^I am (?:not|no longer) (?:an? )?(${diets})\\b`, 'i'), (said) =>
    finding(diet, 'diet', `Is not ${said}`, { value: said, isNegated: true }),
  ),
  rule(
    new RegExp(
      `^(?:I (?:eat|follow|keep|cook|am on|stick to)|my diet is) (?:an? |to an? )?(?:strictly |mostly |only )?(${diets})\\b`,
      'i',
    ),
    (said) => finding(diet, 'diet', `Keeps to a ${said} diet`, { value: said }),
  ),
  rule(new RegExp(`^as an? (${diets}),? (?:i|we|my)\\b`, 'i'), (said) =>
    finding(diet, 'diet', `Is ${said.toLowerCase()}`, { value: said }),
  ),
  rule(/^I (?:have )?(do not|never|no longer|stopped|quit|given up|gave up) smok(?:e|ing)\b(.*)$/i, (how, rest) =>
    finding(
      condition,
      'habit.smoking',
      /not|never/i.test(how)
        ? 'Does not smoke'
        : `No longer smokes, ${how} smoking${trimPhrase(rest) === '' ? '' : ` ${trimPhrase(rest)}`}`,
      {
        value: 'smoking',
        isNegated: true,
      },
    ),
  ),
  rule(/^I used to smoke\b/i, () =>
    finding(condition, 'habit.smoking', 'Used to smoke, no longer does', { value: 'smoking', isNegated: true }),
  ),
  rule(/^I (?:smoke|vape)(?: (?:cigarettes|.*(?:day|week)))?$/i, () =>
    finding(condition, 'habit.smoking', 'Is a smoker', { value: 'smoking' }),
  ),
  rule(
    /^I (?:have )?(?:do not|never|no longer|can not|will not|stopped|quit|given up|gave up) drink(?:ing)?(?: (?:alcohol|booze))?$/i,
    drinks('Does not drink alcohol', true),
  ),
  rule(/^I (?:do not|never|no longer|can not|will not) (?:eat|have) (.+)$/i, (text) =>
    /^(?:a|an|time|any|the|to|it|kids)\b/i.test(text) ? nothing : avoids('Does not eat')(text),
  ),
  rule(/^I (?:do not|never|no longer|can not|will not) drink (.+)$/i, avoids('Does not drink')),
  rule(/^I (?:have )?(?:stopped|quit|given up|gave up) (?:eating|having) (.+)$/i, avoids('No longer eats')),
  rule(/^I (?:have )?(?:stopped|quit|given up|gave up) drinking (.+)$/i, avoids('No longer drinks')),
  rule(
    /^I avoid (?:eating |drinking )?((?:gluten|sugar|dairy|meat|pork|alcohol|caffeine|carbs|salt|wheat|red meat|fried food|processed food).*)$/i,
    avoids('Avoids'),
  ),
  rule(/^I (?:eat|drink) (.+?) again$/i, avoids('Consumes', false)),
  rule(/^I (?:do not|no longer) (?:have|suffer from) (.+)$/i, (text) => ill(text, true)),
  rule(
    /^I (?:have|suffer from|am suffering from|live with|was diagnosed with|got diagnosed with|have been diagnosed with|am diagnosed with) (.+)$/i,
    (text) => ill(text),
  ),
  rule(
    /^I am ((?:type \d |type-\d )?diabetic|autistic|asthmatic|epileptic|dyslexic|color[- ]?blind|colour[- ]?blind|deaf|hard of hearing|pregnant|visually impaired|bipolar|in a wheelchair)\b/i,
    (what) => finding(condition, `health.${keyOf(what)}`, `Is ${what}`, { value: what }),
  ),
  rule(
    /^I (?:take|am taking|am on) (?:\d+ ?mg (?:of )?)?([\p{L}]+(?:in|ol|ine|ide|am|one|pril|tan|statin|zole|ium|il|en|ate|oxetine|insulin|meds|antidepressants|antibiotics|xyzal|xanax|ritalin|concerta))\b(?! (?:it|the|my|a)\b)/iu,
    (what) =>
      /^(?:train|it|in|on|one|again|ten|seven|own|then|even|when|often|vacation|pain|plan|wine|time|line|fine|public|open|medicine|exam)$/i.test(
        what,
      ) || !isShort(trimPhrase(what), 1)
        ? nothing
        : finding(condition, `medication.${keyOf(what)}`, `Takes ${what}`, { value: what, confidence: 0.8 }),
  ),
  rule(/^I (eat|drink) (?:a lot of |lots of |mostly |only )?(.+)$/i, (verb, text) =>
    /\b(?:every|each|daily|for (?:breakfast|lunch|dinner)|too|in|at|with|out)\b/i.test(text)
      ? nothing
      : avoids(`${upperFirst(verb)}s`, false)(text),
  ),
]

/** "I need to be careful of my asthma" */
export const healthMentions: readonly ExtractionRule[] = [
  mention(
    /(?<![\p{L}'])(?:my|because of my|with my) ((?:type \d )?diabetes|asthma|adhd|autism|epilepsy|migraines|arthritis|depression|anxiety|insomnia|ibs|tinnitus|dyslexia|eczema|ptsd|ocd|hay fever|celiac disease)(?!\p{L})/iu,
    (what) => finding(condition, `health.${keyOf(what)}`, `Has ${what}`, { value: what, confidence: 0.75 }),
  ),
]

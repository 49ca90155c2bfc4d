import type { ExtractionRule, Finding } from '../../language.ts'
import { slug } from '../../text.ts'
import { isShort, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { gerundPhrase, withoutTime } from './verbs.ts'

const aim = { category: 'goal', importance: 7, confidence: 0.85 } as const
const vagueAim = { category: 'goal', importance: 6, confidence: 0.75 } as const

/** Actions that are long-term goals. "I want to cancel my order" is a request and not a goal. */
const undertakings: readonly string[] = [
  // Education and skills.
  'learn(?:ing)?|becom(?:e|ing)|master(?:ing)?|teach(?:ing)? myself|graduat(?:e|ing)|study(?:ing)? (?!for the next)',
  'improv(?:e|ing) my|finish(?:ing)? my (?:degree|book|thesis|phd|novel|masters?)|go(?:ing)? (?:back )?to (?:college|university|school|med school|law school)',
  'do(?:ing)? (?:a|my) (?:phd|masters?|marathon|triathlon|handstand)|play(?:ing)? (?:the )?(?:piano|guitar|violin|drums)',
  'read(?:ing)? (?:\\d+|more|all)|be(?:ing)? an? \\w+|work(?:ing)? (?:with|as) \\w+',
  // Places.
  'visit(?:ing)?|travel(?:ling|ing)?|mov(?:e|ing) to|liv(?:e|ing) (?:in|abroad)|work(?:ing)? (?:abroad|part-time|less)',
  'climb(?:ing)?|hik(?:e|ing) the|see(?:ing)? the (?:northern lights|world)',
  // Health.
  'los(?:e|ing) (?:weight|\\d+|some weight|a few)|gain(?:ing)? (?:weight|muscle|\\d+)|run(?:ning)? (?:an?|my first|\\d)',
  'get(?:ting)? (?:better|fit|fitter|in shape|healthier|stronger)|quit(?:ting)?|stop(?:ping)? \\w+ing|cut(?:ting)? down',
  'eat(?:ing)? (?:less|more|healthier|better)|drink(?:ing)? (?:less|more)|exercis(?:e|ing)|sleep(?:ing)? (?:more|better)',
  // Work and money.
  'start(?:ing)? (?:an?|my own|our own|running|meditating|a family|learning|working out|exercising)|open(?:ing)? (?:an?|my own|our own)',
  'build(?:ing)? (?:an? (?:house|cabin|business|company|startup|boat|app|home|career|robot|game)|my own)',
  'writ(?:e|ing) (?:an?|my) (?:\\w+ )?(?:book|novel|thesis|memoir|blog|screenplay|album|dissertation|cookbook)',
  'launch(?:ing)?|publish(?:ing)? (?:an?|my)|found(?:ing)? (?:an?|my)|grow(?:ing)? (?:my|our|a)|retir(?:e|ing)',
  'switch(?:ing)? careers|chang(?:e|ing) (?:careers|jobs)|sav(?:e|ing)|pay(?:ing)? off|spend(?:ing)? (?:less|more)',
  'buy(?:ing)? (?:an?|my|our) |own(?:ing)? (?:an?|my)|renovat(?:e|ing)',
  // Family and life events.
  'get(?:ting)? (?:married|promoted|certified|an? (?:degree|dog|cat|second|tattoo|new job|promotion|driver|licen[sc]e|pet|phd|masters?)|my (?:degree|licen[sc]e|phd))',
  'adopt(?:ing)? (?:an?|another)|have (?:kids|a baby|children|a family)',
]

const longTermGoal = new RegExp(`^(?:${undertakings.join('|')})\\b`, 'iu')

function keyOfAim(action: string): string {
  return `goal.${slug(gerundPhrase(withoutTime(action).replace(/^to /i, '')), 50)}`
}

const wants =
  (verb: string, options: { isNegated?: boolean; isAny?: boolean; slot?: typeof aim | typeof vagueAim } = {}) =>
  (text: string): readonly Finding[] => {
    const action = trimPhrase(text)
    if (!isShort(action, 16) || (!options.isAny && !longTermGoal.test(action))) return nothing
    if (
      /\b(?:this|that|it|these|those)$/i.test(action) ||
      /^(?:learn|study|improve) (?:about|how|why|what|more about) (?!to\b)/i.test(action)
    )
      return nothing
    return finding(options.slot ?? aim, keyOfAim(action), `${verb} ${action}`, {
      value: action,
      isNegated: options.isNegated ?? false,
    })
  }

const pursues =
  (verb: string, isNegated = false) =>
  (text: string) => {
    const action = trimPhrase(text)
    if (!isShort(action, 12)) return nothing
    return finding(aim, keyOfAim(isNegated ? action : `${verb.replace(/^Is /, '')} ${action}`), `${verb} ${action}`, {
      value: action,
      isNegated,
    })
  }

export const goals: readonly ExtractionRule[] = [
  rule(
    /^(?:the|one) (?:place|country|city) I (?:would )?(?:most )?(?:really )?(?:want|like|love|most like) to (?:visit|see)(?: most| the most)? is (.+)$/i,
    (text) => wants('Wants to')(`visit ${text}`),
  ),
  rule(
    /^(?:my|our) (?:main |big |long-term |current |next |personal |new year'?s? |new year |biggest )*(?:goal|aim|dream|plan|resolution|objective|ambition)s?(?: for (?:this|next) year| this year)? (?:is|are) (?:to |still to )(.+)$/i,
    wants('Wants to', { isAny: true }),
  ),
  rule(
    /^(?:I|we) (?:do not|no longer) (?:want|plan|intend|wish|hope) (?:to|on) (.+)$/i,
    wants('No longer wants to', { isNegated: true }),
  ),
  rule(
    /^(?:I|we) (?:have )?(?:gave up|given up|stopped|quit|abandoned) (?:on )?(?:trying to )?(learning .+|training .+|my plan to .+|saving for .+)$/i,
    pursues('Gave up on', true),
  ),
  rule(
    /^(?:I|we) (?:really )?(?:want|wish|hope|aspire|intend|would (?:really )?(?:like|love)|dream of|am hoping|are hoping|am dreaming of|am determined|would want) (?:to )?(.+)$/i,
    wants('Wants to'),
  ),
  rule(
    /^(?:I|we) (?:plan|am planning|are planning|am aiming|are aiming|aim|have decided|decided) (?:to|on) (?!use|do this|do that|ask)(.+)$/i,
    wants('Plans to', { isAny: true, slot: vagueAim }),
  ),
  rule(/^(?:I|we) (?:am|are) (?:trying|going|about|working) to (.+)$/i, wants('Plans to', { slot: vagueAim })),
  rule(/^(?:I|we) (?:will|shall) (move to .+|retire .+|start (?:an?|my) .+|quit my .+)$/i, wants('Plans to')),
  rule(/^(?:I|we) (move to \p{Lu}.+)$/u, wants('Plans to')),
  rule(/^(?:I|we) (?:am|are) (?:thinking (?:about|of)|considering|contemplating) (.+)$/i, (text) =>
    wants('Is thinking about', { slot: vagueAim })(text).map((found) => ({ ...found, confidence: 0.6 })),
  ),
  rule(/^(?:I|we) (?:am|are) moving (?:back |over )?(to \p{Lu}.*)$/u, pursues('Is moving')),
  rule(/^(?:I|we) (?:am|are) training (for .+)$/i, pursues('Is training')),
  rule(/^(?:I|we) (?:am|are) preparing (for .+)$/i, (text) =>
    /interview|exam|test|certif|marathon|race|move|baby|wedding|trip/i.test(text)
      ? pursues('Is preparing')(text)
      : nothing,
  ),
  rule(/^(?:I|we) (?:am|are) saving(?: up| money)? (for .+)$/i, pursues('Is saving')),
  rule(/^(?:I|we) (?:am|are) (?:currently )?(?:working|striving) (?:toward|towards) (.+)$/i, (text) => {
    const action = trimPhrase(text)
    return isShort(action, 8)
      ? finding(aim, `goal.${slug(action.replace(/^(?:an?|the|my) /i, ''))}`, `Is working towards ${action}`, {
          value: action,
        })
      : nothing
  }),
  rule(
    /^(?:I|we) (?:am|are|have been) learning (?:about )?((?!that|this|it|so|a lot|as\b).+)$/i,
    pursues('Is learning'),
  ),
  rule(
    /^(?:I|we) (?:am|are) writing ((?:an?|my) (?:\w+ )?(?:book|novel|thesis|memoir|dissertation|screenplay|album|cookbook)\b.*)$/i,
    pursues('Is writing'),
  ),
  rule(
    /^(?:I|we) (?:am|are) getting (married|divorced|a (?:puppy|dog|cat|kitten)|my (?:degree|licen[sc]e|masters?|phd))\b(.*)$/i,
    (what, when) => pursues('Is getting')(`${what}${when}`),
  ),
  rule(/^(?:I|we) (?:am|are) (?:expecting|having) (a baby|twins|our (?:first|second|third))\b(.*)$/i, (what, when) =>
    pursues('Is expecting')(`${what}${when}`),
  ),
]

import type { ExtractionRule, Finding } from '../../language.ts'
import { upperFirst } from '../../text.ts'
import { isShort, keyOf, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { gerund, gerundPhrase, thirdPersonPhrase } from './verbs.ts'

const habit = { category: 'fact', importance: 5, confidence: 0.8 } as const
const routine = { category: 'fact', importance: 5, confidence: 0.85 } as const

const days = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
const often = `(?:(?:almost )?(?:every|each) (?!time|thing|one|single time)(?:\\w+ ?){1,3}|daily|nightly|weekly|(?:once|twice|\\dx|\\w+ times) (?:a|per|every) \\w+|on (?:${days}s?|weekends|weekdays|workdays)(?:(?:,| and| or) (?:${days}s?))*|in the (?:mornings?|evenings?|afternoons?)|most (?:days|mornings|evenings|weekends))`

/** Verbs that do not describe a habit. */
const notHabitual =
  /^(?:am|is|are|was|get|see|receive|need|want|think|know|have|feel|enjoy|adore|dislike|can|could|would|will|should|must|do not|did|had|got|find|notice|hear|wish|hope|like|love|hate|prefer|keep|never|no|saw|went|ran|made|said|tried|try|use|pay|forget|report|lose)\b/i

function keyed(action: string): string {
  const plain = action
    .replace(/^(?:go|goes) to (?:the |my )?/i, '')
    .replace(/^(?:go|do|practice|practise|doing|going|practicing) (?:some )?(?=\S)/i, '')
  if (plain !== action) return keyOf(plain.split(/ (?:with|at|in|for|before|after|on)\b/i)[0] ?? '')
  const [core = ''] = action.split(/ (?:with|at|in|for|before|after|to|about|from)\b/i)
  return keyOf(gerundPhrase(core)).replace(/^my-/, '')
}

function done(action: string, when: string): readonly Finding[] {
  const what = trimPhrase(action).replace(
    /^(?:usually|always|often|typically|normally|sometimes|generally|mostly) /i,
    '',
  )
  if (!isShort(what, 8) || notHabitual.test(what) || !/^\p{L}/u.test(what)) return nothing
  const key =
    what.split(' ')[0] === 'call' || / my /.test(what)
      ? gerundPhrase(what).toLowerCase().replaceAll(' ', '-')
      : keyed(what)
  const [first = '', ...rest] = what.split(' ')
  // "have been doing ballet": an -ing form has no third person.
  const does =
    /ing$/i.test(first) && first.length > 5 ? `is ${first} ${rest.join(' ')}`.trim() : thirdPersonPhrase(what)
  return finding(habit, `habit.${key}`.slice(0, 100), `${does} ${trimPhrase(when)}`, { value: what })
}

const at = (key: string, verb: string) => (time: string) =>
  isShort(trimPhrase(time), 5) &&
  /\d|noon|midnight|past|dawn|o'clock|sunrise|six|seven|five|eight|nine|ten|eleven|early|late/i.test(time)
    ? finding(routine, key, `${verb} ${trimPhrase(time)}`, { value: trimPhrase(time) })
    : nothing

const usually = '(?:usually |always |normally |typically |often |generally |tend to |mostly )?'

export const habitSentences: readonly ExtractionRule[] = [
  rule(
    new RegExp(
      `^(?:and |also |so )?((?:every|each) (?!time)(?:\\w+ ){1,2}?|on ${days}s )(?:morning |evening )?,? ?(?:i|we) (.+)$`,
      'i',
    ),
    (when, action) => done(action, when),
  ),
]

export const habits: readonly ExtractionRule[] = [
  rule(new RegExp(`^I ${usually}sleep (?:about |around |only |for )*([\\w.]+) (?:hours|hrs)`, 'i'), (hours) =>
    finding(routine, 'routine.sleep.hours', `Sleeps ${hours} hours`, { value: hours }),
  ),
  rule(/^I (?:always|usually|normally|typically) (?:have|eat) an? (.+? (?:breakfast|lunch|dinner))\b/i, (what) =>
    isShort(what, 4) ? finding(habit, `habit.${keyOf(what)}`, `Usually has a ${what}`, { value: what }) : nothing,
  ),
  rule(
    new RegExp(`^I ${usually}(?:wake up|get up|rise|am up) (?:at |around |about |by )?(.+)$`, 'i'),
    at('routine.wake', 'Gets up at'),
  ),
  rule(
    new RegExp(`^I ${usually}(?:go to (?:bed|sleep)|fall asleep) (?:at |around |about |by )(.+)$`, 'i'),
    at('routine.sleep', 'Goes to bed at'),
  ),
  rule(new RegExp(`^I ${usually}(?:have|eat) (lunch|dinner|breakfast) (?:at|around|about) (.+)$`, 'i'), (meal, time) =>
    at(`routine.${meal.toLowerCase()}`, `Has ${meal} at`)(time),
  ),
  rule(
    /^I (?:usually|always|normally|typically|often) (have|eat|drink) (.+?) (for (?:breakfast|lunch|dinner)|in the morning|before bed)\b/i,
    (verb, what, when) =>
      isShort(what, 5)
        ? finding(habit, `habit.${keyOf(what)}-${keyOf(when)}`, `${thirdPersonPhrase(verb)} ${what} ${when}`, {
            value: what,
          })
        : nothing,
  ),
  rule(
    /^I (bike|cycle|walk|drive|commute|take the (?:train|bus|subway|metro|tram|ferry|tube)) to (?:work|the office|school|uni|university|campus)\b/i,
    (how) => finding(routine, 'commute', `${upperFirst(thirdPersonPhrase(how))} to work`, { value: how }),
  ),
  rule(
    /^I am (?:definitely |more of )?(?:an? )?(morning person|night owl|early bird|night person|early riser)\b/i,
    (said) => finding(routine, 'chronotype', `Is a ${said}`, { value: said }),
  ),
  rule(
    new RegExp(
      `^I (?:have been (?=\\w+ing))?${usually}(.{3,80}?) (${often})(?:[.!]*$| (?:at|before|after|with|in|to|around|because|for|and)\\b.*$)`,
      'i',
    ),
    done,
  ),
  rule(
    /^I (?:no longer|stopped|have stopped|quit) (running|jogging|swimming|cycling|meditating|smoking|drinking coffee|gaming|dancing|climbing|reading|working out|going to the gym|eating out)\b/i,
    (what) =>
      finding(habit, `habit.${keyOf(what.replace(/^going to the /i, ''))}`, `No longer does ${what}`, {
        value: what,
        isNegated: true,
      }),
  ),
  rule(/^I play ((?!the\b|with\b|around\b)\p{L}+(?: tennis| ball)?)(?: (?:with|at|in|on|for)\b.*)?$/iu, (what) =>
    finding(habit, `hobby.${keyOf(what)}`, `Plays ${what}`, { value: gerund(what) }),
  ),
]

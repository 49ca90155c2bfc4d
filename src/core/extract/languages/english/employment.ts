import type { ExtractionRule, Finding } from '../../language.ts'
import { startsUpper, wordsOf } from '../../text.ts'
import { jobTitle } from './job-titles.ts'
import { isShort, properName, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'

const job = { category: 'fact', importance: 8 } as const
const detail = { category: 'fact', importance: 6 } as const

const afterEmployer =
  / (?:in|since|for|as|on|with|last|this|until|and|where|from|now|again|right|to|because|a few|two|three|\d+|during|full-time|part-time)\b.*$/i

function employerIn(text: string): string | null {
  const said = trimPhrase(text).replace(afterEmployer, '')
  if (
    !isShort(said, 5) ||
    /^(?:it|this|that|home|myself|night|nights|least|work|risk|free|fun|me|you|my|your|our|once|first|times|all|scale|company)\b/i.test(
      said,
    )
  )
    return null
  // "for a bank" does not name the employer.
  if (/^(?:a|an|the|some) /i.test(said) && !wordsOf(said).slice(1).some(startsUpper)) return null
  return properName(said)
}

const works =
  (verb: string, isNegated = false) =>
  (text: string): readonly Finding[] => {
    const employer = employerIn(text)
    return employer === null ? nothing : finding(job, 'employer', `${verb} ${employer}`, { value: employer, isNegated })
  }

/** "data engineer at Spotify", "the CTO of a startup": the job, and the employer when it is named. */
export function jobAndEmployer(text: string, verb = 'Works as', isNegated = false): readonly Finding[] {
  const [role = ''] = trimPhrase(text).split(
    / (?:at|for|with|by|in|on|from|who|working|based|specializing|doing|and|of (?:an?|this|our|the) )\b/i,
  )
  const title = jobTitle(role)
  if (title === null) return nothing
  const [, place = ''] = / (?:at|working for|working at) (.+)$/i.exec(text) ?? []
  const found = finding(job, 'job.title', `${verb} ${title}`, { value: title, isNegated })
  return isNegated || place === '' ? found : [...found, ...works('Works at')(place)]
}

const status = (content: string) => () => finding(job, 'employment.status', content, { value: content })

const industry = (text: string) => {
  const said = trimPhrase(text)
    .replace(/^the /i, '')
    .replace(/ (?:industry|sector|field|business)$/i, '')
  const isPlaceOrTime = startsUpper(said) && !/^(?:IT|HR|PR|AI|R&D)$/.test(said)
  return isShort(said, 3) && !isPlaceOrTime && !/^(?:an?|my|shifts|teams?|progress|peace|silence|pairs)\b/i.test(said)
    ? finding(detail, 'industry', `Works in ${said}`, { value: said })
    : nothing
}

const team = (text: string) => {
  const said = trimPhrase(text)
  return isShort(said, 4) ? finding(detail, 'team', `Is on the ${said} team`, { value: said }) : nothing
}

const learned = (verb: string) => (text: string) => {
  const said = trimPhrase(text)
  const isSubject = isShort(said, 8) && !/^(?:for|it|this|that|the|how|hard|at home|every|in the|your|my)\b/i.test(said)
  return isSubject
    ? finding({ category: 'fact', importance: 7 }, 'education', `${verb} ${said}`, { value: said })
    : nothing
}

const schools =
  /\b(?:university|college|school|institute|academy|oxford|cambridge|harvard|yale|princeton|stanford|mit|eth|ucla|nyu|caltech)\b/i

/** "I go to …" names a school only for some places. */
const schooled = (text: string) => (schools.test(text) ? learned('Attended')(text) : nothing)

export const employment: readonly ExtractionRule[] = [
  rule(/^I (?:do not|no longer) work (?:at|for) (.+)$/i, works('No longer works at', true)),
  rule(/^I (?:am|was) (?:not|no longer) (?:working|employed) (?:at|for|by) (.+)$/i, works('No longer works at', true)),
  rule(
    /^I (?:have )?(?:just |recently )?(?:quit|left|resigned from) (?:my (?:job|position|role) (?:at|with) )?(?!home|the (?:house|room|car|office)|my|a |an |early)(\p{Lu}.*)$/u,
    works('Left', true),
  ),
  rule(/^I (?:have )?quit my (?:job|position) at (.+)$/i, works('Left', true)),
  rule(/^I (?:used to work|worked|formerly worked) (?:at|for) (.+)$/i, works('Used to work at', true)),
  rule(
    /^I (?:work|am employed|am working|have been working|freelance|work part-time|work full-time) as (?:an? |the )?(.+)$/i,
    (text) => jobAndEmployer(text),
  ),
  rule(
    /^I (?:work|am working|am employed|have (?:just |recently )?started|(?:just |recently )?started working|have been working|started|intern|am interning|will be working) (?:at|for|by) (.+)$/i,
    works('Works at'),
  ),
  rule(/^I (?:have )?(?:just |recently )?joined the (.+?) team\b/i, team),
  rule(
    /^I (?:have )?(?:just |recently )?(?:joined|got hired (?:at|by)|was hired by|got a (?:new )?job at) (?!the |a |an |my |your |this )(.+)$/i,
    works('Works at'),
  ),
  rule(/^my (?:new |current )?(?:employer|company) is (?:called )?(.+)$/i, works('Works at')),
  rule(
    /^(?:my (?:job title|title|role|position|job|profession|occupation) is|by profession I am) (?:an? |the )?(.+)$/i,
    (text) => {
      const said = trimPhrase(text)
      return isShort(said, 6) && (startsUpper(said) || jobTitle(said) !== null)
        ? finding(job, 'job.title', `Works as ${said}`, { value: said })
        : nothing
    },
  ),
  rule(
    /^I (?:(?:have )?(?:just |recently )?(?:got|been|was) promoted to|became|have become|am now) (?:an? |the )?(.+)$/i,
    (text) => jobAndEmployer(text),
  ),
  rule(/^I (?:used to be|was) (an? .+)$/i, (text) => jobAndEmployer(text, 'Used to work as', true)),
  rule(/^I am (?:not|no longer) (an? .+)$/i, (text) => jobAndEmployer(text, 'Does not work as', true)),
  rule(/^I work (?:from|at) home\b/i, () =>
    finding(detail, 'work.location', 'Works from home', { value: 'from home' }),
  ),
  rule(/^I work (remotely|hybrid|on-?site|in an office)\b/i, (how) =>
    finding(detail, 'work.location', `Works ${how}`, { value: how }),
  ),
  rule(
    /^I work ((?:night|day|late|early|rotating|weekend|evening)s? ?shifts?|nights|part-time|full-time|weekends)\b/i,
    (how) => finding(detail, 'work.hours', `Works ${how}`, { value: how }),
  ),
  rule(
    /^I (?:am|was) (retired|unemployed|self-employed|between jobs|laid off|on parental leave|on maternity leave|an? (?:\w+ )?student|an? freelancer|freelance|freelancing)\b/i,
    (said) => status(`Is ${said}`)(),
  ),
  rule(/^I (?:was|got|have been|just got) (laid off|fired|made redundant|let go)\b(.*)$/i, (said, when) =>
    status(trimPhrase(`Was ${said}${when}`))(),
  ),
  rule(/^I work for myself\b/i, status('Is self-employed')),
  rule(/^I (?:work|am working|have worked) in (.+)$/i, industry),
  rule(/^I (?:am|work) (?:on|in) the (.+?) (?:team|department|group)\b/i, team),
  rule(/^I (?:lead|manage|run|head|joined) the (.+?) (?:team|department|group)\b(?: at (.+))?/i, (said, place) => [
    ...team(said),
    ...(place ? works('Works at')(place) : nothing),
  ]),
  rule(/^I (?:lead|manage) a team of (.+)$/i, (size) =>
    finding(detail, 'team.size', `Leads a team of ${trimPhrase(size)}`, { value: trimPhrase(size) }),
  ),
  rule(
    /^I (?:run|own|have|started|opened|founded) (?:a|an|my own|our own) ((?:\w+ ){0,2}(?:bakery|cafe|café|shop|store|restaurant|company|business|agency|startup|studio|farm|bar|salon|gym|hotel|practice|consultancy|brewery|bookstore|bookshop|firm))\b/i,
    (what) => finding(job, 'business', `Runs a ${what}`, { value: what }),
  ),
  rule(
    /^I (?:study|am studying|am majoring in|major in|studied|majored in|am doing my degree in) (.+)$/i,
    learned('Studies'),
  ),
  rule(
    /^I (?:have|hold|got|did|am doing|am getting|finished) (?:an?|my) ((?:phd|ph\.d\.?|doctorate|masters?(?:'s)?|mba|msc|bsc|ba|ma|bachelors?(?:'s)?|degree|diploma)\b.*)$/i,
    learned('Has a'),
  ),
  rule(
    /^I (?:just |recently |have )*(?:started|began|started doing) (?:an?|my) ((?:phd|masters?(?:'s)?|mba|msc|bsc|bachelors?(?:'s)?|degree|apprenticeship)\b.*)$/i,
    learned('Started a'),
  ),
  rule(/^I (?:attended|attend|went to|go to|graduated from|am a student at) (?:the )?(\p{Lu}.*)$/u, schooled),
  rule(
    /^I (?:drive|own|bought|just bought) (?:an?|my) ((?:\p{L}+ )?(?:\p{Lu}[\p{L}\d-]*|car|van|truck|motorbike|motorcycle|pickup)(?: (?:\p{Lu}|\d)[\p{L}\d-]*){0,2})[.!]*$/u,
    (what) => finding({ category: 'fact', importance: 4 }, 'vehicle', `Drives a ${what}`, { value: what }),
  ),
  rule(/^as (an? .+?),? (?:i|we|my)\b/i, (text) => jobAndEmployer(text)),
  rule(/^I am (?:currently |also )?((?:an?|the) .+|(?:head|director|vp) of .+)$/i, (text) => jobAndEmployer(text)),
]

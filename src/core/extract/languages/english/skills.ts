import type { ExtractionRule, Finding } from '../../language.ts'
import { isInstrument, isKnownTool, isTool, spokenLanguages } from './lexicon.ts'
import { isShort, isSpecificThing, keyOf, listOf, properName, trimPhrase } from './phrases.ts'
import { finding, nothing, rule } from './rule-builders.ts'
import { gerund } from './verbs.ts'

const skill = { category: 'expertise', importance: 6 } as const

const afterSkill =
  / (?:for|since|from|at work|pretty well|very well|quite well|well|inside out|by heart|really|a bit|a little|fluently|in a band|every)\b.*$/i

const speaks =
  (verb: string, isNegated = false) =>
  (text: string): readonly Finding[] =>
    listOf(text).flatMap((item) => {
      const said = item.replace(
        / (?:fluently|natively|at home|badly|well|a bit|a little|at work|too|as a.*|with my.*|very.*|quite.*|pretty.*|only.*)$/i,
        '',
      )
      const bare = properName(
        said.replace(
          /^(?:(?:a )?(?:little|bit of|some|basic|fluent|conversational|broken|native|good|decent|bad|both|only|any)(?: bit of)? )+/i,
          '',
        ),
      )
      if (!spokenLanguages.has(bare.toLowerCase())) return nothing
      return finding(skill, `language.spoken.${keyOf(bare)}`, `${verb} ${said === bare.toLowerCase() ? bare : said}`, {
        value: bare,
        isNegated,
      })
    })

/** `checked` limits the values to tools: "I know Bob" is not a skill. */
const can =
  (verb: string, options: { isNegated?: boolean; checked?: (value: string) => boolean } = {}) =>
  (text: string): readonly Finding[] =>
    listOf(text).flatMap((item) => {
      const value = item.replace(afterSkill, '')
      if (!isSpecificThing(value, 4) || /^\d/.test(value) || (options.checked && !options.checked(value)))
        return nothing
      return finding(skill, `skill.${keyOf(value)}`, `${verb} ${item}`, {
        value,
        isNegated: options.isNegated ?? false,
      })
    })

const level = 'really |very |quite |pretty |super |fairly |extremely |so |also |particularly |reasonably |somewhat '

export const skills: readonly ExtractionRule[] = [
  rule(
    /^I have (?:about |around |over |more than )?([\w.+]+ years?)(?: of)? ([\p{L}+#.]+(?: [\p{L}+#.]+)?) experience$/iu,
    (years, text) =>
      /^(?:work|working|professional|of|relevant|industry)$/i.test(text)
        ? nothing
        : can(`Has ${years} of experience with`)(text),
  ),
  rule(/^(?:I|we) (?:can |also |mostly )*(?:speak|understand) (.+)$/i, speaks('Speaks')),
  rule(
    /^I (?:do not|can not|no longer) (?:really |actually )?(?:speak|understand) (.+)$/i,
    speaks('Does not speak', true),
  ),
  rule(/^I am (?:\w+ )?(?:fluent|conversational|proficient) in (.+)$/i, (text) => {
    const spoken = speaks('Speaks')(text)
    return spoken.length > 0 ? spoken : can('Is proficient in')(text)
  }),
  rule(/^(\p{L}+) is (?:not )?my (?:second|third|other|foreign) language$/iu, (text) =>
    speaks('Speaks as a foreign language')(text),
  ),
  rule(/^(?:my (?:native|first) (?:language|tongue)|my mother tongue) is (.+)$/i, (text) =>
    isShort(trimPhrase(text), 2)
      ? finding(
          { category: 'fact', importance: 7 },
          'language.native',
          `Native language is ${properName(trimPhrase(text))}`,
          {
            value: properName(trimPhrase(text)),
          },
        )
      : nothing,
  ),
  rule(/^I am an? native (\p{L}+) speaker|^(\p{L}+) is my (?:native|first|mother) (?:language|tongue)/iu, (one, two) =>
    finding({ category: 'fact', importance: 7 }, 'language.native', `Native language is ${properName(one || two)}`, {
      value: properName(one || two),
    }),
  ),
  rule(
    new RegExp(
      `^I am (?:an? )?(?:${level})*(?:expert|specialist|pro|wizard|experienced|skilled|well-versed|proficient|certified) (?:in|at|on|with) (.+)$`,
      'i',
    ),
    can('Is an expert in'),
  ),
  rule(/^I am an? (.+?) (?:expert|specialist|pro|wizard)$/i, can('Is an expert in')),
  rule(
    /^I (?:have|bring) (?:about |around |over |more than |roughly )?([\w.+]+ years?|decades|a decade|lots|plenty|a lot|some|little|no|extensive|years)(?: of)? (?:\w+ )?experience (?:with|in|using|as) (?:an? )?(.+)$/i,
    (years, text) => can(`Has ${years} of experience with`, { isNegated: /^no$/i.test(years) })(text),
  ),
  rule(new RegExp(`^I am (?:${level}|completely |totally |brand |relatively )*new to (.+)$`, 'i'), (text) =>
    /^(?:this|the (?:area|city|team|company)|here|town|it)\b/i.test(text) ? nothing : can('Is new to')(text),
  ),
  rule(
    /^I am (?:just |still )?(?:an? )?(?:complete |total |absolute )?(beginner|novice|newbie|amateur|intermediate|advanced)(?: level| user)? (?:at|in|with|when it comes to) (.+)$/i,
    (rank, text) => can(`Is a ${rank} at`)(text),
  ),
  rule(
    new RegExp(
      `^I am (?:not (?:${level}|that |too |much )*(?:good|great|skilled|experienced|comfortable|familiar)|(?:${level}|just )*(?:bad|terrible|horrible|awful|hopeless|useless|rubbish|weak)) (?:at|in|with) (.+)$`,
      'i',
    ),
    can('Is not good at', { isNegated: true }),
  ),
  rule(
    new RegExp(
      `^I am (?:${level})*(?:good|great|excellent|decent|skilled|strong|comfortable|familiar|confident|handy|brilliant) (?:at|in|with) (?!that|this|it\\b|either|both)(.+)$`,
      'i',
    ),
    can('Is good at'),
  ),
  rule(/^I specialize in (.+)$/i, can('Specializes in')),
  rule(
    /^I (?:do not|can not) (?:really )?know (?:any |much )?(?!what|how|why|if|where|who|when|whether|anything)(.+)$/i,
    can('Does not know', { isNegated: true, checked: isKnownTool }),
  ),
  rule(
    /^I (?:already |really )?know (?:some |a bit of |a little |basic )?(.+)$/i,
    can('Knows', { checked: isKnownTool }),
  ),
  rule(
    /^I have (?:never|not) (?:used|tried|learned|worked with|written|touched) (?:any )?(.+?)(?: before| yet)?$/i,
    can('Has never used', { isNegated: true, checked: isTool }),
  ),
  rule(
    /^I have been (?:coding|programming|developing|writing|working|using|doing|playing|practicing|practising)(?: in| with| on)?(?: the)? (.+? (?:for|since) .+)$/i,
    (text) => {
      const [what = ''] = text.split(/ (?:for|since) /i)
      return isSpecificThing(what, 4) && (isTool(what) || isInstrument(what) || /^[a-z]+$/.test(what))
        ? finding(skill, `skill.${keyOf(what)}`, `Has experience with ${text.replace(/[\s,.!]+$/, '')}`, {
            value: what,
          })
        : nothing
    },
  ),
  rule(/^I (?:also |can )?play (?:the )?(.+?)(?: in (?:a|an|my) .+| for \d+ .+| since .+)?$/i, (text) => {
    const items = listOf(text)
      .map((item) => item.replace(/^the /i, ''))
      .filter(isInstrument)
    return items.flatMap((item) => finding(skill, `skill.${keyOf(item)}`, `Plays the ${item}`, { value: item }))
  }),
  rule(
    /^I (can not|can|do not know how to|know how to|never learned (?:how )?to) (swim|cook|drive|sing|dance|ski|code|draw|type|cycle|ride a bike|juggle|whistle|program|sew|knit|sail|surf|read music)\b(?! (?:it|this|that|the|you|him|her|them|us|me|there|home|over)\b)/i,
    (how, verb) => {
      const isNegated = /not|never/i.test(how)
      const [first = '', ...rest] = verb.split(' ')
      return finding(
        skill,
        `skill.${keyOf([gerund(first), ...rest].join(' '))}`,
        `${isNegated ? 'Can not' : 'Can'} ${verb}`,
        { value: verb, isNegated },
      )
    },
  ),
]

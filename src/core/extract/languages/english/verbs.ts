const irregular: Readonly<Record<string, string>> = {
  be: 'being',
  see: 'seeing',
  die: 'dying',
  lie: 'lying',
  quit: 'quitting',
  program: 'programming',
}
/** Verbs whose last consonant is not doubled, although their ending suggests it. */
const undoubled =
  /^(?:visit|open|listen|garden|edit|follow|answer|offer|enter|travel|develop|order|deliver|monitor|render|restart|audit|limit|master)$/

/** The -ing form, so that "run", "running" and "to run" share one key. */
export function gerund(verb: string): string {
  const lower = verb.toLowerCase()
  const known = irregular[lower]
  if (known !== undefined) return known
  if (/[a-z]{2,}ing$/.test(lower) && !/^(?:bring|sing|swing|ring|cling|sling|string|spring|fling)$/.test(lower))
    return lower
  if (/[^aeiouy]e$/.test(lower) || /[aiou][^aeiou]e$|[ou]e$/.test(lower)) return `${lower.slice(0, -1)}ing`
  if (/^[^aeiou]*[aeiou][^aeiouwxy]$/.test(lower)) return `${lower}${lower.at(-1)}ing`
  if (!undoubled.test(lower) && /(?:gin|mit|fer|get|lan|bat)$/.test(lower) && lower.length > 4)
    return `${lower}${lower.at(-1)}ing`
  return `${lower}ing`
}

/** The first word as -ing form, the others as they are. */
export function gerundPhrase(phrase: string): string {
  const [verb = '', ...rest] = phrase.split(' ')
  return [gerund(verb), ...rest].join(' ')
}

/** "go" as "goes": contents are in the third person. */
function thirdPerson(verb: string): string {
  const lower = verb.toLowerCase()
  if (lower === 'have') return 'has'
  if (lower === 'am' || lower === 'are' || lower === 'be') return 'is'
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`
  return /(?:s|x|ch|sh|z|o)$/.test(lower) ? `${lower}es` : `${lower}s`
}

export function thirdPersonPhrase(phrase: string): string {
  const [verb = '', ...rest] = phrase.split(' ')
  return [thirdPerson(verb), ...rest].join(' ')
}

const time =
  /(?:^| )(?:(?:next|this|last|by|before|until|till|someday|some day|one day|soon|eventually|starting|later|tomorrow|tonight)\b|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|the (?:spring|summer|fall|autumn|winter|future|next)|\d{4}|a (?:few|couple|year|month|week)|\d+ (?:day|week|month|year)s?)\b|for (?:about |over )?(?:\d+|an?|two|three|four|five|six|ten|many|some) (?:day|week|month|year)s?\b|at the end\b|on (?:mon|tues|wednes|thurs|fri|satur|sun)day).*$/i

/** Removes a time expression from the end of a phrase. */
export function withoutTime(text: string): string {
  return text.replace(time, '')
}

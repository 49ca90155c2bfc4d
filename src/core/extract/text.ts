/** The placeholder for removed text such as a URL; no rule matches it as a word. */
export const removedText = '\uFFFC'

/** A text as part of a claim key: lower case, words joined by dashes. */
export function slug(text: string, charactersMax = 60): string {
  const joined = text
    .normalize('NFKC')
    // Fillers and selectors are letters or marks, but a claim key has only what can be seen.
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}+#]+/gu, '-')
    .replace(/^-|-$/g, '')
  if (joined.length <= charactersMax) return joined
  const cut = joined.lastIndexOf('-', charactersMax)
  // Truncation may split a surrogate pair.
  return joined
    .slice(0, cut > 0 ? cut : charactersMax)
    .toWellFormed()
    .replaceAll('\uFFFD', '')
}

/** The words of a text, separated by spaces. */
export function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

export function upperFirst(text: string): string {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length)
}

export function lowerFirst(text: string): string {
  const [first = ''] = text
  return first.toLowerCase() + text.slice(first.length)
}

/** Capitalises a name that is written in lower case. Particles such as "von" stay in lower case. */
export function capitaliseName(text: string, particles: ReadonlySet<string>): string {
  if (text !== text.toLowerCase()) return text
  return text
    .split(' ')
    .map((word) => (particles.has(word) ? word : upperFirst(word)))
    .join(' ')
}

export function startsUpper(text: string): boolean {
  return /^\p{Lu}/u.test(text)
}

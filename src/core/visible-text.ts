/**
 * Characters that people do not see and models may read as text: selectors, tags, joiners, fillers, direction controls, soft hyphens. Instructions
 * can be written in nothing but these. Interlinear marks are not in the property.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]+/gu
/** The same, as a quick look: almost no text has any. */
const hasHidden = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

const nonJoiner = '\u200C'
const joiner = '\u200D'
const space = '\u200B'
const emojiStyle = '\uFE0F'

const emoji = /^\p{Emoji}$/u
const keycapBase = /^[0-9#*]$/
const keycap = '\u20E3'
const pictograph = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u
const letter = /^[\p{L}\p{M}\p{Nd}]$/u
/** Scripts in which a joiner or a non-joiner between two letters is spelling, or gives a letter its form. */
const joining =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Mand}\p{scx=Rohg}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Tirh}\p{scx=Newa}\p{scx=Gran}\p{scx=Modi}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Bali}\p{scx=Java}\p{scx=Mtei}]$/u
/** Scripts without spaces between words, in which the zero width space ends a word. */
const unspaced =
  /^[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Lana}\p{scx=Talu}\p{scx=Tavt}\p{scx=Bali}\p{scx=Java}]$/u
const mongolian = /^\p{scx=Mong}$/u
/** One form selector of a letter, the vowel separator, or both. */
const mongolianMarks = /^[\u180B-\u180D\u180F]?\u180E?$/u
const blackFlag = '\u{1F3F4}'
/** The flags of England, Scotland and Wales: the only sequences of tag characters that are in general use. */
const flags: ReadonlySet<string> = new Set(['gbeng', 'gbsct', 'gbwls'].map((code) => `${toTags(code)}\u{E007F}`))

function toTags(code: string): string {
  return String.fromCodePoint(...[...code].map((character) => 0xe0000 + (character.codePointAt(0) ?? 0)))
}

/**
 * A text for a model: without hidden characters, but with those that ordinary writing needs. Which ones follows from the two characters
 * around them, and more than writing needs at one place is removed as a whole. Stored text stays as it is. Applying it again changes nothing.
 */
export function visibleText(text: string): string {
  if (!hasHidden.test(text)) return text
  return text.replace(hidden, (run: string, at: number) => {
    const before = lastCharacter(text, at)
    const after = String.fromCodePoint(text.codePointAt(at + run.length) ?? 0)
    return isWriting(run, before, after) ? run : ''
  })
}

function lastCharacter(text: string, end: number): string {
  const low = text.charCodeAt(end - 1)
  const isPair = low >= 0xdc00 && low <= 0xdfff
  return text.slice(Math.max(0, end - (isPair ? 2 : 1)), end)
}

function isWriting(run: string, before: string, after: string): boolean {
  switch (run) {
    case emojiStyle:
    case '\uFE0E':
      return keycapBase.test(before) ? after === keycap : emoji.test(before)
    case emojiStyle + joiner:
      return emoji.test(before) && pictograph.test(after)
    case joiner:
      return (pictograph.test(before) && pictograph.test(after)) || isLetterOf(joining, before)
    case nonJoiner:
      return isLetterOf(joining, before) && isLetterOf(joining, after)
    case space:
      return unspaced.test(before) && unspaced.test(after)
  }
  if (before === blackFlag) return flags.has(run)
  return mongolianMarks.test(run) && isLetterOf(mongolian, before)
}

function isLetterOf(script: RegExp, character: string): boolean {
  return letter.test(character) && script.test(character)
}

/** A JSON value with every text in it as a model may see it. */
export function visibleValue<Value>(value: Value): Value {
  return JSON.parse(visibleText(JSON.stringify(value))) as Value
}

import { wordOdds } from './letter-odds.ts'

/** Distinguishes generated strings from natural language, without a dictionary. */

/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  const length = [...text].length
  let bits = 0
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length)
  return bits
}

/** Whether letters look like pronounceable words: words, Words, WORDS or camelCase. */
export function isWordLike(letters: string): boolean {
  const parts = splitAtCapitals(letters)
  if (letters.length / parts.length < 3 && letters.length > 5) return false
  return parts.every((part) => {
    const lower = part.toLowerCase()
    const vowels = lower.replace(/[^aeiouyäöüéèáóíúà]/g, '').length
    if (lower.length <= 4) return true
    return (
      vowels / lower.length >= 0.16 &&
      !/[bcdfghjklmnpqrstvwxz]{6}|([a-z])\1\1/.test(lower) &&
      !/[jqxz]{2}|q(?!u)/.test(lower)
    )
  })
}

/** Fewer letters can be a word of any language, or joined words ("db-AbCd") an identifier. */
const randomLettersMin = 8
const randomJoinedLettersMin = 16
/** An inner capital ("localStorage") is a word more; words rarely have one, random letters at every fourth letter. In bits. */
const innerCapitalBits = 6
/** Whole words of identifiers with inner capitals, which often have abbreviations beside them: "csrfToken", "XMLHttpRequest". */
const identifierWord =
  /^(?:access|account|agent|apps?|auth|block|client|code|config|context|cookie|data|error|event|file|form|group|handler|header|hook|host|https?|info|input|json|keys?|link|list|login|manager|message|mode|model|name|node|only|options?|params?|password|path|policy|provider|proxy|query|record|request|response|role|rule|scope|secret|server|service|session|state|store|string|table|text|tokens?|type|user|value|vault|view)$/i
/**
 * By how much random letters must be more likely than words: one bit for each letter above nine. So 98 % of random values are found at every
 * length, and long ones, which cannot be taken for words, must be clearly random. `surely` is for places where a word is likely.
 */
const randomOddsMax = 9
const bitsPerLetter = { likely: 1, surely: 2 } as const

/**
 * Whether a value of letters was drawn at random: its letters follow one another as in no language, or capitals are where no word
 * has them. Hyphens and underscores join words; accents make no difference. Other scripts are not judged: never random.
 */
export function isRandomLetters(text: string, certainty: keyof typeof bitsPerLetter = 'likely'): boolean {
  const plain = text
    .replace(aroundValues, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁøØđĐıßæÆœŒ]/g, (letter) => plainLetters[letter] ?? letter)
  if (!/^[A-Za-z_-]+$/.test(plain)) return false
  const joined = plain.split(/[_-]+/)
  const words = joined.flatMap(splitAtCapitals)
  const length = words.join('').length
  if (length < (joined.length === 1 ? randomLettersMin : randomJoinedLettersMin)) return false
  let odds = words.reduce((sum, word) => sum + wordOdds(word.toLowerCase()), 0)
  const hasInnerCapitals = words.length > joined.length
  if (hasInnerCapitals && words.some((word) => identifierWord.test(word))) return false
  // Random letters in both cases have one bit more per letter to be unlikely by.
  if (hasInnerCapitals) odds += length - innerCapitalBits * (words.length - joined.length)
  return odds + bitsPerLetter[certainty] * length <= randomOddsMax
}

/** What people and their keyboards put around a value: quotes that are no ASCII, and the end of an exclamation or a question. */
const aroundValues = /^[“”„‟‘’‚‛«»‹›「『]|[“”‟‘’‛«»‹›」』]?[!?]{0,3}$/gu

const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ı: 'i' },
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE' },
}

function splitAtCapitals(letters: string): string[] {
  return letters.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
}

/** Whether a text is words, small numbers and version numbers joined by punctuation: "prod-db-2024", "step-2", "oauth2". */
export function isWordsAndNumbers(text: string): boolean {
  return text
    .split(/[-_.:/+ ]+/)
    .every(
      (part) =>
        /^v?\d{0,4}$/.test(part) || (/^[A-Za-z]+\d{0,2}$/.test(part) && isWordLike(part.replace(/(?<!\d)\d+$/, ''))),
    )
}

const technicalTerms =
  /(?<![a-z0-9])(?:base(?:16|32|58|64)(?:url)?|sha-?(?:1|2|3|224|256|384|512)|md5|rsa-?\d*|aes-?\d*|[rhep]s(?:256|384|512)|ed25519|x25519|curve25519|secp256[kr]1|p-?(?:256|384|521)|utf-?(?:8|16)|oauth-?[12](?:\.0)?|saml2?|http[123]|ipv[46]|i18n|k8s|ec2|x509|pkcs-?\d*|argon2(?:id|i|d)?|pbkdf2|2fa|u2f|fido2|v\d+(?:\.\d+)*|gpt-?\d[\w.-]{0,12}|aws4|web3|log4j|neo4j|auth0|o365|s3)(?![a-z0-9])/gi

/** Whether a text is a technical term and not a secret: "base64-encoded", "SHA256", "v2". */
export function isTechnicalTerm(text: string): boolean {
  if (text.length > 40) return false
  const rest = text.replace(technicalTerms, '')
  return rest.length < text.length && !/[\d!@#$%^&*+=?~|]/.test(rest) && isWordLike(rest.replace(/[^A-Za-z]/g, ''))
}

import { kindOfName } from './secret-names.ts'
import {
  decodeBase64,
  isPasswordValue,
  isPlaceholder,
  isSecretValue,
  isStrongValue,
  isTemplate,
  type ValueContext,
} from './values.ts'
import { entropyOf, isRandomLetters, isTechnicalTerm, isWordLike, isWordsAndNumbers } from './word-likeness.ts'

/** A match with the whole text, so that a check can read the name in front of it. */
export type RuleMatch = {
  readonly text: string
  /** Where the anchor begins: the word of the name that made the rule match. */
  readonly anchor: number
  /** Where the secret begins. The text between `anchor` and `start` stays readable. */
  readonly start: number
  /** The beginning of the secret, cut to a fixed length so that a check costs the same on any text. */
  readonly secret: string
}

export type CheckName = keyof typeof checks

const bothCases = ({ secret }: RuleMatch) => /[a-z]/.test(secret) && /[A-Z]/.test(secret)
/** One random token in seventy has no digit by chance; irregular capitals identify it. */
const irregularCase = (found: RuleMatch) => {
  const letters = found.secret.replace(/[^A-Za-z]/g, '')
  return bothCases(found) && (!isWordLike(letters) || isRandomLetters(letters))
}
const mixed = (found: RuleMatch) => (/\d/.test(found.secret) && /[A-Za-z]/.test(found.secret)) || irregularCase(found)
/** The text before a name that is separated from its value by a blank: a flag, ENV of a Dockerfile, a line of a .netrc. */
const separatedByBlank = /(?:(?:^|\s)--?[\w-]*|(?:ENV|ARG|setx|SETX|export)\s+[\w-]*|login\s+\S{1,40}\s+)$/
const inProse: ValueContext = { quoted: false, tight: false, prose: true, code: false }
const typed: ValueContext = { quoted: true, tight: true, prose: false, code: false }

export const checks = {
  digits: ({ secret }) => /\d/.test(secret),
  mixed,
  bothCases,
  notWords: ({ secret }) => !isWordsAndNumbers(secret),
  mixedCase: (found) => mixed(found) && bothCases(found),
  random: (found) =>
    mixed(found) && !isPlaceholder(found.secret) && !isWordsAndNumbers(found.secret) && entropyOf(found.secret) >= 2.8,
  pemBody: ({ secret }) => {
    const body = secret.replace(/-{4,5}[^-]{0,80}-{4,5}/g, '').replace(/\\{1,4}[nrt]/g, '')
    const placeholder = /\.{3}|…|<[^>]*>|your|example|here\b|x{6}/i
    return body.replace(/[^A-Za-z0-9+/]/g, '').length >= 16 && !placeholder.test(body)
  },
  basicAuth: ({ secret }) =>
    /^[\x20-\x7e]{0,200}:[\x20-\x7e\x80-\xff]{2,}$/.test(decodeBase64(secret.replace(/(?<!=)=+$/, '')) ?? ''),
  urlPassword: ({ secret }) =>
    !isTemplate(secret) && !/^(?:x-oauth-basic|x-token-auth)$/.test(secret) && !/^\d{1,5}$/.test(secret),
  headerValue: (found) =>
    mixed(found) &&
    !isPlaceholder(found.secret) &&
    !/:\/\/|^AWS4-/.test(found.secret) &&
    !isTechnicalTerm(found.secret),
  prosePassword: ({ secret }) => isPasswordValue(secret, inProse),
  typedPassword: ({ secret }) => isPasswordValue(secret, typed),
  assignedPassword: (found) => isAssigned(found, ['password']),
  assignedSecret: (found) => isAssigned(found, ['password', 'secret', 'weak']),
} as const satisfies Record<string, (found: RuleMatch) => boolean>

/** Checks an assigned value. The name in front decides how strict the check is. */
function isAssigned({ text, anchor, start, secret }: RuleMatch, kinds: readonly string[]): boolean {
  // Most values after such a name are plain words; this is the cheapest way to reject them.
  if (secret.length < 5 || (secret.length < 8 && /^[A-Za-z]+$/.test(secret))) return false
  const kept = text.slice(anchor, start)
  const ownName = /^[\p{L}\p{N}_.-]*/u.exec(kept)?.[0] ?? ''
  const lead = /(?:\b[A-Za-z]{1,16} )?[A-Za-z0-9_.-]*$/.exec(text.slice(Math.max(0, anchor - 40), anchor))?.[0] ?? ''
  const kind = kindOfName(lead + ownName)
  if (kind === undefined || !kinds.includes(kind)) return false
  const separator = kept.slice(ownName.length)
  if (!isJoined(lead, ownName, separator, text.slice(Math.max(0, anchor - lead.length - 8), anchor - lead.length))) {
    return false
  }
  const blank = /^[ \t]+$/.test(separator)
  const typedAfterBlank = blank && separatedByBlank.test(text.slice(Math.max(0, anchor - 60), anchor))
  // "use token a1b2…": when only a blank separates them, the value must not be a word.
  if (blank && !typedAfterBlank) {
    if (/^[A-Za-z]+$/.test(secret)) return isRandomLetters(secret, 'surely')
    if (secret.length < 8 || isWordsAndNumbers(secret)) return false
  }
  const setting = typedAfterBlank ? typed : settingOf(separator)
  if (kind === 'password') return isPasswordValue(secret, setting)
  if (kind === 'secret') return isSecretValue(secret, setting)
  return !setting.prose && !(setting.code && !setting.quoted) && isStrongValue(secret)
}

/** In "Pass `force=true`" the name is a verb. A comma separates name and value only inside the brackets of a call. */
function isJoined(lead: string, ownName: string, separator: string, before: string): boolean {
  if (/(?:^|[^A-Za-z_\s-]|[A-Za-z]-|\s)pass$/i.test(lead + ownName) && !/[:=>]/.test(separator)) return false
  return !separator.includes(',') || /\([ \t]*\\?["'`]$/.test(before)
}

function settingOf(separator: string): ValueContext {
  const quoted = /["'`>]$|&quot;$|%22$/.test(separator)
  const blank = /^[ \t]/.test(separator) && !/[=:|]/.test(separator)
  return {
    quoted,
    tight: /^\\?["'\]]{0,2}(?:=|%3D)["'`]?$/i.test(separator),
    prose: !quoted && (blank || /\p{L}/u.test(separator)),
    code: /[ \t](?:={1,3}|:=|\|\|=|\?\?=)[ \t]/.test(separator),
  }
}

import { entropyOf, isRandomLetters, isTechnicalTerm, isWordLike, isWordsAndNumbers } from './word-likeness.ts'

/** The syntax between a name and its value. Stricter checks apply in prose and code, where false positives are likely. */
export type ValueContext = {
  readonly quoted: boolean
  /** `name=value` without spaces. */
  readonly tight: boolean
  readonly prose: boolean
  /** `name = value` as in source code. */
  readonly code: boolean
}

/** Template placeholders: ${NAME}, <name>, {{ name }}, %NAME%, ****, … */
const template =
  /^(.)\1*$|[xX*•#]{4,}|\.{3}|…|_{4,}|-{4,}|\[REDACTED|^<.*>?$|^\$[{(]|^\$(?:[A-Z][A-Z0-9_]*|[a-z_][A-Za-z_]*)$|^\{.*\}$|^%[A-Z_]+%$|^%\(?\w*\)?[sdv]$|^#\{|^\[.*\]?$|^@[A-Za-z_.]+@?$|^[&*][A-Za-z_-]+$|\$\{[A-Za-z_]|\{\{/

/** References to the place where the real value is configured, and fragments of markup and patterns. */
const reference =
  /^(?:process\.env|os\.|env[.[(:]|ENV\[|System\.|import\.meta|config[.[(]|settings?\.|self\.|this\.|props\.|req(?:uest)?\.|ctx\.|args?\.|opts?\.|options\.|params?\.|secrets?[.:/]|vars?\.|data\.|local\.|module\.|null\b|function\b|arn:|ssm:|vault:|op:\/\/|file:|kms:|keyring:|secretref:|!ref|!secret|!vault|!Sub|!GetAtt|ENC[[(]|@Microsoft\.KeyVault|&(?:#|lt;|amp;)|#[a-z]+(?:-[a-z]+)*$)|\(\?[:=!<]|\[\^/i

const placeholderWords =
  /(?:^|[^a-z])(?:your|yours|example|placeholder|change[-_ ]?(?:me|it|this)|replace(?:[-_ ]?(?:me|with|this))?|insert|redacted|dummy|fake|sample|todo|tbd|fixme|none|null|nil|undefined|hidden|masked|censored|removed|omitted|here)(?:[^a-z]|$)|^(?:your|changeme|placeholder)/i

/** Words of descriptive placeholders: "my-secret-key", "test_token", "string". No word may be a concatenation of two others. */
const vocabulary =
  /^(?:my|your|the|a|an|some|any|example|sample|dummy|fake|test|testing|demo|dev|prod|default|super|top|very|secret|secrets|password|passwd|pass|key|keys|token|tokens|api|access|refresh|bearer|auth|client|user|admin|root|value|here|string|str|goes|foo|bar|baz|qux|abc|xyz|db|database|app|service|server|account|private|public|id|name|enter|new|old|this|is|not|real|secure|strong|random|long|generated|set|in|from|env|for|to|and|or|no|yes|true|false|required|optional|empty|valid|wrong|correct|missing|expired|field|text|input|label|type|number|boolean|object|bytes|hash|hashed|encrypted|header|cookie|session|basic|digest|include|omit|same|origin|never|always|auto|unknown|protected|disabled|enabled|file|vault|manager|store)+$/

/**
 * Templates, references and obvious placeholders. "root" and "test" are not among them, because they are real passwords at
 * times.
 */
export function isTemplate(value: string): boolean {
  if (template.test(value) || reference.test(value) || placeholderWords.test(value)) return true
  return /^(?:my|the|db|user|some|any|test|super)?[-_]?(?:password|passwd|pass|pwd|secret|token|key|username|credentials|guest)$/i.test(
    value,
  )
}

/** Whether a value is only a placeholder: a template, a reference, an expression or a description. */
export function isPlaceholder(value: string, { quoted }: Pick<ValueContext, 'quoted'> = { quoted: true }): boolean {
  if (template.test(value) || reference.test(value) || placeholderWords.test(value)) return true
  // A call, an index or a member access is code; in quotes it is only text.
  if (!quoted) {
    if (/^[({[]|\.[A-Za-z_$][\w$]*\(|^[A-Za-z_$][\w$]*(?:\(|\[|::|->|\??\.[A-Za-z_$][\w$.]*\()/.test(value)) return true
    if (/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value)) return value.split('.').every(isName)
  }
  return value.length <= 40 && vocabulary.test(value.toLowerCase().replace(/[-_ .]/g, ''))
}

/** Numbers, dates, sizes, versions, digests, paths and URLs: values that are called "key" or "token" too. */
function isPlainData(value: string): boolean {
  return (
    /^-?\d+(?:[.,:]\d+)*%?$|^\d{4}-\d{2}-\d{2}|^\d+[- ]?(?:ms|s|m|h|d|w|min|sec|hours?|days?|weeks?|bits?|bytes?|[kmg]i?b|k|chars?|characters?|digits?|letters?|words?|st|nd|rd|th|x)(?:$|\s|-[a-z]+$)|^v?\d+\.\d+/i.test(
      value,
    ) ||
    /^0x(?:[0-9a-f]{1,16}|[0-9a-f]{40})$|^(?:sha\d{1,3}|md5|blake2[bs]?|crc32)[-:=$]/i.test(value) ||
    /^[a-z][a-z0-9+.-]*:\/\/|^www\.|^(?:\.{1,2}|~|[A-Za-z]:)[\\/]|^\/(?![A-Za-z0-9+/]{30,}={0,2}$)|^[\w.+-]+@[\w-]+\.[a-z]{2,}$/i.test(
      value,
    ) ||
    /\.(?:pem|key|crt|cer|json|ya?ml|txt|env|p12|pfx|jks|toml|ini|conf|cfg|tsx?|jsx?|py|go|rb|rs|java|php|html?|md|csv|log|com|org|net|io)$/i.test(
      value,
    )
  )
}

/** Distinguishes a passphrase (a few bare words) from a sentence about passwords. */
function isPassphrase(value: string, quoted: boolean): boolean {
  const words = value.split(quoted ? /[ -]/ : /-/)
  if (words.length < 4 || words.length > 12 || value.length < 16) return false
  const filler =
    /^(?:the|a|an|is|are|be|must|your|you|to|of|for|with|and|or|not|no|enter|please|at|least|this|that|password|in|on|it|by|do|if|has|have|can|should|will)$/i
  return words.every((word) => /^[a-z]{3,10}$|^\d{1,4}$/i.test(word) && !filler.test(word))
}

/** Whether a value after a name such as `password` is a password. */
export function isPasswordValue(value: string, setting: ValueContext): boolean {
  if (isPlaceholder(value, setting)) return false
  if (/^\d{6,}$/.test(value)) return !setting.prose
  if (isPlainData(value) || isTechnicalTerm(value)) return false
  if (value.includes(' ')) return isPassphrase(value, setting.quoted)
  const letters = value.replace(/[^A-Za-z]/g, '')
  if (letters.length === 0) return /\d/.test(value) && value.length >= 8
  // The value is a variable name: `password = password2`, `token = newToken1`.
  if (setting.code && !setting.quoted && /^[A-Za-z_$][\w$]*$/.test(value))
    return isMachineMade(value) || changesOf(value) >= 4 || isRandomLetters(value)
  const digits = /\d/.test(value)
  const symbols = /[!@#$%^&*+=?~|].*\w|\w[!@#$%^&*+=?~|]{2}/.test(value)
  if (digits || symbols) return value.length >= 6 || (digits && symbols && value.length >= 5)
  if (isPassphrase(value, setting.quoted) || isRandomLetters(value)) return true
  if (setting.prose) return false
  if (/^(?:letmein|qwert[yz]\w*|iloveyou|swordfish|opensesame|abcdefgh?|sunshine|princess|dragon)$/i.test(value))
    return true
  return (setting.quoted || setting.tight) && /^[a-z]{15,}$/.test(value)
}

/** Whether a value after a name such as `secret` or `api_key` is a secret. */
export function isSecretValue(value: string, setting: ValueContext): boolean {
  if (!setting.prose && isKeyboardNoise(value)) return true
  if (value.length < 8 || isPlaceholder(value, setting)) return false
  if (value.includes(' ')) return false
  if (isPlainData(value) || isTechnicalTerm(value)) return false
  if (!/\d/.test(value)) {
    const symbols = /[!@#$%^&*+=?~|].*\w/.test(value)
    if (!symbols) return isRandomLetters(value)
    return !setting.prose && value.length >= 10 && !value.split(/[^A-Za-z]+/).every(isWordLike)
  }
  if (!/[A-Za-z]/.test(value)) return value.length >= 24
  if (setting.prose && value.length < 12) return false
  if (setting.code && !setting.quoted && /^[A-Za-z_$][\w$]*$/.test(value)) return isMachineMade(value)
  if (isWordsAndNumbers(value)) return !setting.prose && /^[a-z]+\d{3,}$/i.test(value)
  return !isWordPath(value)
}

/** Whether a value after a weak name such as `key` is a secret: only a value that looks generated. */
export function isStrongValue(value: string): boolean {
  if (isKeyboardNoise(value)) return true
  if (/^[A-Za-z]{16,512}$/.test(value)) return !isPlaceholder(value) && isRandomLetters(value, 'surely')
  if (
    !/^[A-Za-z0-9_+=~-]{20,512}$|^[A-Za-z0-9+/]{40,200}={0,2}$/.test(value) ||
    isPlaceholder(value) ||
    isPlainData(value)
  )
    return false
  if (/^[0-9a-f-]+$/i.test(value) || isWordsAndNumbers(value)) return false
  return (
    /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && entropyOf(value) >= 3.5 && !isEncodedText(value)
  )
}

/**
 * Salts in the style of WordPress: any printable characters, blanks included. Neither sentences nor code contain so many
 * symbols.
 */
function isKeyboardNoise(value: string): boolean {
  const symbols = value.replace(/[\w\s.,'"/-]/g, '').length
  return (
    value.length >= 32 &&
    symbols >= value.length / 6 &&
    /\d.*\d.*\d/.test(value) &&
    !/[A-Za-z]{9}|\w\(\)|=>|\);|\$\{/.test(value)
  )
}

/** Whether letters and digits alternate as in generated strings. */
function isMachineMade(value: string): boolean {
  if (value.length < 12) return false
  const changes = changesOf(value)
  return changes >= 5 || (changes >= 2 && !isWordsAndNumbers(value) && !isWordLike(value.replace(/[\d_]/g, '')))
}

function changesOf(value: string): number {
  return value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0
}

/** An identifier that a person chose: words, possibly with a number. */
function isName(value: string): boolean {
  return !isMachineMade(value) && value.split('_').every((part) => isWordLike(part.replace(/\d/g, '')))
}

function isWordPath(value: string): boolean {
  const parts = value.split(/[/:.]/)
  return parts.length > 1 && parts.every((part) => isWordsAndNumbers(part))
}

/** Base64 of readable text is an id or a cursor, such as "user:1234", and not a secret. */
function isEncodedText(value: string): boolean {
  const decoded = decodeBase64(value)
  return decoded !== undefined && decoded.length >= 6 && /^[\x20-\x7e\r\n]+$/.test(decoded)
}

export function decodeBase64(value: string): string | undefined {
  try {
    return atob(value.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}

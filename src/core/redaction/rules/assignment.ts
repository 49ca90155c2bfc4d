/**
 * Patterns for a value after a name: `password=…`, `"api_key": "…"`, `<token>…</token>`, "the secret for staging is …". The
 * scanner has already found the name, so these patterns describe only what may follow it. Each part is bounded, because it
 * is tried at every such word of a text. The check of the rule decides whether the value is a secret.
 */
const restOfName = '[A-Za-z0-9_.-]{0,40}'
const closing = '(?:\\\\{0,3}["\'`]|\\]|\\*{1,2}|&quot;|%22){0,3}'
const opening = '(?:[bruf@]{0,2}\\\\{0,3}["\'`]|&quot;|%22|\\*{1,2})?'
const about = '(?: (?:for|of|to|on|in|at|from|für) [^\\n:=]{1,40}?| \\([^)\\n]{1,40}\\))?'

const separators = [
  // key: String = "…", Key { get; set; } = "…"
  '[ \\t]{0,2}:[ \\t]{0,2}[A-Za-z][A-Za-z0-9_.<>?|]{0,30}[ \\t]{0,2}=[ \\t]{0,2}(?=["\'`])',
  '[ \\t]{0,2}\\{ get;[^}\\n]{0,30}\\}[ \\t]{0,2}=[ \\t]{0,2}',
  // key=value, key: value, key => value, key := value, and a block of YAML
  `${about}[ \\t]{0,8}(?:=>|:=|={1,3}|\\?\\?=|\\|\\|=|:|%3[DdAa])(?:[ \\t]{0,8}[|>][+-]?\\s{1,20})?[ \\t*]{0,8}`,
  // the password for the database is …
  `${about}[ \\t]{1,4}(?:is|was|are|will be|ist|lautet)(?: now| still| set to| currently| just)?:?[ \\t]{1,4}`,
  '[ \\t]{1,2}(?:->|>>|[-–—])[ \\t]{1,2}',
  // <key>…</key>, key="x" value="…", <key>x</key><string>…
  '>\\s{0,8}(?=[^<\\n]{1,200}<\\/)',
  '[ \\t]{1,4}(?:value|content)[ \\t]{0,2}=[ \\t]{0,2}',
  '<\\/key>\\s{0,20}<string>',
  // define('KEY', '…'), setKey('…'), | key | … |
  '[ \\t]{0,2}[,(][ \\t]{0,16}(?=\\\\?["\'`])',
  '[ \\t]{1,8}\\|[ \\t]{1,8}',
  // After a flag, an instruction of a Dockerfile or a login of a .netrc, a blank is enough.
  '(?<=(?:^|[\\s"\'])--?[A-Za-z0-9_-]{2,60})[ \\t]{1,4}',
  '(?<=(?:ENV|ARG|setx|SETX|export|login[ \\t]{1,4}\\S{1,80})[ \\t]{1,4}[A-Za-z0-9_-]{1,60})[ \\t]{1,4}',
  // Elsewhere a blank needs a value in quotes, or one that is long, has a digit or may be random letters.
  '[ \\t]{1,4}(?=["\'`]|[A-Za-z0-9_+/=.-]{20}|\\S{0,40}\\d|[A-Za-z]{8})',
].join('|')

/** The text between a name that contains `word` and its value. */
export function afterName(word: string): RegExp {
  return new RegExp(`${word}${restOfName}${closing}(?:${separators})${opening}`, 'i')
}

const nextPair = '[A-Za-z_][A-Za-z0-9_ .-]{1,30}["\']?[ \\t]?[=:]'

/** The value: up to the closing quote, or unquoted up to a blank, a bracket, or the comma before the next pair. */
export const assignedValue = new RegExp(
  [
    '(?<=\\\\["\'`])(?:(?!\\\\{1,3}["\'`])[^\\r\\n"]){1,}',
    '(?<=")(?:\\\\.|[^"\\\\\\r\\n]){1,}(?=")',
    "(?<=')(?:\\\\.|[^'\\\\\\r\\n]){1,}(?=')",
    '(?<=`)[^`\\r\\n]{1,}(?=`)',
    '(?<=[?&][A-Za-z0-9_.-]{1,60}=)[^\\s"\'`<>&#]{1,}',
    '(?<=&quot;)[^&\\s]{1,}(?=&quot;)',
    [
      '(?:[^\\s"\'`<>,;&|)\\\\]',
      '\\)(?![\\](\\s]|$)',
      `[,;&|](?![\\s"'\`]|$|${nextPair})`,
      '\\\\(?![nrt"\'`]|u00)){0,}[^\\s"\'`<>,;&|\\\\.…)\\]}:]',
    ].join('|'),
  ].join('|'),
)

/** Each word in the three common cases: token, TOKEN, Token. */
export function inThreeCases(...words: string[]): string[] {
  return words.flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)])
}

import type { Scanner } from './redaction.ts'

/**
 * The built-in scanner: shapes that are secrets wherever they stand, and markers of other systems, which are turned
 * into ours. Each pattern starts with a literal and can fail only after a bounded look or at the end of what it has
 * read, so matching stays linear; the look-behind keeps "eyJ-eyJ-…" from being read again at every dash.
 */
type SecretPattern = { readonly rule: string; readonly pattern: string }

const patterns: readonly SecretPattern[] = [
  {
    rule: 'private-key',
    pattern:
      '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\]{0,16384}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?',
  },
  { rule: 'model-provider-key', pattern: '\\bsk-[A-Za-z0-9_-]{16,}' },
  { rule: 'google-api-key', pattern: '\\bAIza[A-Za-z0-9_-]{30,}' },
  { rule: 'json-web-token', pattern: '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}' },
  { rule: 'bearer-token', pattern: '\\b[Bb]earer [A-Za-z0-9._~+/-]{20,}=*' },
  { rule: 'aws-access-key-id', pattern: '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b' },
  { rule: 'github-token', pattern: '\\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})' },
  { rule: 'slack-token', pattern: '\\bxox[abeoprs]-[A-Za-z0-9-]{10,}' },
]

/** `[BYOK:x]` and `<REDACTED:x>` are other hosts' spellings of a removed secret; readers look for one spelling. */
const foreignMarker = '\\[BYOK:[^\\]\\n]{1,200}\\]|<REDACTED:[^>\\n]{1,200}>'

const anySecret = new RegExp(
  [...patterns.map(({ rule, pattern }) => `(?<${groupName(rule)}>${pattern})`), `(?<foreign>${foreignMarker})`].join(
    '|',
  ),
  'g',
)

const ruleOfGroup = new Map(patterns.map(({ rule }) => [groupName(rule), rule]))

function groupName(rule: string): string {
  return rule.replaceAll('-', '_')
}

export const scanForSecretPatterns: Scanner = (text, onHit) =>
  text.replace(anySecret, (...args) => {
    const groups = args.at(-1) as Record<string, string | undefined>
    const group = Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'foreign'
    const rule = ruleOfGroup.get(group) ?? 'foreign-marker'
    onHit(rule)
    if (group !== 'foreign') return `[REDACTED:${rule}]`
    const match = String(args[0])
    // The id inside a BYOK marker may itself be a credential; the id inside <REDACTED:…> is only a label.
    return match.startsWith('<') ? `[REDACTED:${match.slice('<REDACTED:'.length, -1)}]` : '[REDACTED:byok]'
  })

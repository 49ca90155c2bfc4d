import { checks } from './checks.ts'
import type { SecretMatch } from './compile.ts'

/**
 * Finds Discord tokens whose first part is not the base64 of digits. They have no fixed prefix that could be an anchor, so
 * they are found by their dots: three parts, the middle one with six or seven characters.
 */
export function findDottedTokens(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = []
  for (let dot = text.indexOf('.', firstPartMin); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    if (text.charCodeAt(dot + 7) !== 0x2e && text.charCodeAt(dot + 8) !== 0x2e) continue
    const first = /(?:(?<![A-Za-z0-9_-]\.?)|(?<=\\[nrt]))[MNO][A-Za-z0-9_-]{22,27}$/.exec(
      text.slice(Math.max(0, dot - firstPartMax - 2), dot),
    )?.[0]
    if (first === undefined) continue
    const start = dot - first.length
    const rest = /^\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,80}/.exec(text.slice(dot, dot + 90))?.[0]
    if (rest === undefined || goesOn.test(text.slice(dot + rest.length, dot + rest.length + 2))) continue
    const secret = text.slice(start, dot + rest.length)
    const parts = secret.split('.')
    const isMachineMade =
      parts.filter((part) => /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)).length >= 2
    if (!isMachineMade || !checks.random({ text, anchor: start, start, secret })) continue
    found.push({ anchor: start, start, end: start + secret.length, rule, label: rule, contextual: false })
  }
  return found
}

/** A longer part, or a fourth one. A full stop that ends a sentence is neither. */
const goesOn = /^\.?[A-Za-z0-9_-]/
const rule = 'discord-bot-token'
const firstPartMin = 23
const firstPartMax = 28

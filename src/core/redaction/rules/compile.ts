import { checks } from './checks.ts'
import type { SecretRule } from './rule.ts'

/** A match of a rule: the range that is replaced, and the id in its marker. */
export type SecretMatch = {
  /** Where the anchor of the rule begins; at or before `start`. */
  readonly anchor: number
  readonly start: number
  readonly end: number
  readonly rule: string
  readonly label: string
  readonly contextual: boolean
}

/** `bounded` matches only as much as a check examines. It exists when a check could reject a long match. */
type Compiled = { readonly rule: SecretRule; readonly regexp: RegExp; readonly bounded: RegExp | undefined }
/**
 * The state of one scan. Text that a rule has matched is not scanned again by rules of the same kind: otherwise a text of one
 * long word could cost the square of its length. Inside a value that was matched by its name, format rules still run: they
 * name the secret more precisely.
 */
type ScanState = { readonly secrets: SecretMatch[]; takenUntil: number; namedUntil: number }
/** `lead` is the number of anchor characters before the last of the three that are hashed. */
type Anchor = { readonly text: string; readonly lead: number; readonly rules: Compiled[] }

/**
 * A token begins at a word boundary. An escaped line break, an escaped quote or a percent code before it also counts as a
 * boundary, although it ends in a letter or digit: encoded texts are common.
 */
const wordStart =
  '(?:(?![A-Za-z0-9])|(?<=^|[^A-Za-z0-9]|\\\\[nrtbf]|\\\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\\x1b\\[[0-9;]{0,8}m))'
const wordEnd = '(?:(?<![A-Za-z0-9])|(?![A-Za-z0-9]))'
/** "sk-xxxxxxxx" is a placeholder for a key. */
const notFilled = '(?![A-Za-z0-9_.-]{0,40}?(?:[xX]{6}|[*•.#]{6}))'

/** Checks examine only the beginning of a secret, so that they cost the same on any text. */
const checkedLength = 96

function compile(rule: SecretRule): Compiled {
  const { before, keep, pattern, contextual } = rule
  const flags = keep?.flags.includes('i') || pattern.flags.includes('i') ? 'iy' : 'y'
  let front = wordStart
  if (before) front = `(?<=${wordStart}(?<before>${before.source}))`
  if (keep) front = `(?<keep>${keep.source})`
  const shape = `${front}${contextual ? '' : notFilled}(?:${pattern.source})`
  const bounded = shape.replace(/\{(\d+),\}/g, (_, least) => `{${least},${Math.max(Number(least), checkedLength)}}`)
  return {
    rule,
    regexp: new RegExp(contextual ? shape : shape + wordEnd, flags),
    bounded: rule.check && bounded !== shape ? new RegExp(bounded, flags) : undefined,
  }
}

/**
 * Compiles rules into a function that finds secrets in one pass. The pass searches for the anchors of the rules by a hash of
 * three characters; most texts contain none. Where an anchor occurs, its rules are tried at that offset and nowhere else.
 */
export function compileRules(rules: readonly SecretRule[]): (text: string) => readonly SecretMatch[] {
  const { slots, buckets } = indexAnchors(rules.map(compile))
  return (text) => {
    const found: ScanState = { secrets: [], takenUntil: 0, namedUntil: 0 }
    let hash = 0
    for (let i = 0; i < text.length; i++) {
      hash = hashNext(hash, text.charCodeAt(i))
      const slot = slots[hash]
      if (slot === 0 || slot === undefined) continue
      tryAnchors(text, i, buckets[slot] ?? [], found)
      if (found.takenUntil > i) {
        i = found.takenUntil - 1
        hash = 0
      }
    }
    return found.secrets
  }
}

/** A rolling hash with five bits per character: after three characters the oldest has left the fifteen bits. */
function hashNext(hash: number, code: number): number {
  return ((hash << 5) ^ Math.imul(code, 0x9e5)) & 0x7fff
}

/** The offset of the three anchor characters that are rarest in ordinary texts: capitals, digits and symbols. */
function rarestPart(anchor: string): number {
  const rarity = (char: string) =>
    /[etaoinsrhld]/.test(char) ? 0 : /[a-z ]/.test(char) ? 1 : /[A-Z"]/.test(char) ? 3 : 4
  const score = (at: number) => [...anchor.slice(at, at + 3)].reduce((sum, char) => sum + rarity(char), 0)
  let best = 0
  for (let at = 1; at + 3 <= anchor.length; at++) if (score(at) > score(best)) best = at
  return best
}

function indexAnchors(rules: readonly Compiled[]) {
  const slots = new Uint16Array(0x8000)
  const buckets: Anchor[][] = [[]]
  for (const compiled of rules) {
    for (const text of new Set(compiled.rule.anchors)) {
      const part = rarestPart(text)
      const hash = [0, 1, 2].reduce((sum, at) => hashNext(sum, text.charCodeAt(part + at)), 0)
      if (slots[hash] === 0) slots[hash] = buckets.push([]) - 1
      const bucket = buckets[slots[hash] ?? 0] ?? []
      const anchor = bucket.find((known) => known.text === text)
      if (anchor) anchor.rules.push(compiled)
      else bucket.push({ text, lead: part + 2, rules: [compiled] })
    }
  }
  return { slots, buckets }
}

/** Tries the rules of the anchors whose hashed characters end at `end`, and adds their matches. */
function tryAnchors(text: string, end: number, anchors: readonly Anchor[], found: ScanState): void {
  for (const anchor of anchors) {
    const at = end - anchor.lead
    if (at < found.takenUntil || !startsAt(text, anchor.text, at)) continue
    for (const compiled of anchor.rules) {
      if (compiled.rule.contextual && at < found.namedUntil) continue
      const secret = tryRule(text, at, compiled)
      if (secret === undefined) continue
      found.secrets.push(secret)
      if (secret.contextual) found.namedUntil = secret.end
      else found.takenUntil = Math.max(found.takenUntil, secret.end)
    }
  }
}

/** `startsWith` that fails fast: nearly every offset differs in the first character. */
function startsAt(text: string, part: string, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (text.charCodeAt(at + i) !== part.charCodeAt(i)) return false
  return true
}

function tryRule(text: string, anchor: number, compiled: Compiled): SecretMatch | undefined {
  const { rule, regexp, bounded } = compiled
  const checked = bounded ? matchAt(bounded, text, anchor) : undefined
  if (checked === null || (checked && !passes(rule, text, checked))) return undefined
  const match = matchAt(regexp, text, anchor)
  if (match === null || (checked === undefined && !passes(rule, text, match))) return undefined
  return { ...match, label: match.label ?? rule.label ?? rule.id, rule: rule.id, contextual: rule.contextual ?? false }
}

function matchAt(regexp: RegExp, text: string, anchor: number) {
  regexp.lastIndex = anchor
  const match = regexp.exec(text)
  if (match === null) return null
  const { keep = '', before = '', label } = match.groups ?? {}
  return { anchor, start: anchor + keep.length - before.length, end: anchor + match[0].length, label }
}

function passes(
  { check }: SecretRule,
  text: string,
  { anchor, start, end }: { anchor: number; start: number; end: number },
) {
  if (check === undefined) return true
  return checks[check]({ text, anchor, start, secret: text.slice(start, Math.min(end, start + checkedLength)) })
}

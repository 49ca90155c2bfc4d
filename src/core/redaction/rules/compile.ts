import { checks } from './checks.ts'
import type { Rule } from './rule.ts'

/** A secret found in a text: what is replaced, and by which name. */
export type Candidate = {
  readonly anchor: number
  readonly start: number
  readonly end: number
  readonly rule: string
  readonly label: string
  readonly contextual: boolean
}

/** `glance` reads only as much as a check judges; it is there when a match could be refused after a long reading. */
type Compiled = { readonly rule: Rule; readonly regexp: RegExp; readonly glance: RegExp | undefined }
/**
 * What a rule has taken is not read again by rules of its sort; without this, a text of one long word could cost its
 * length squared. Inside a value that was found by its name, shapes are still looked for: they name it better.
 */
type Found = { readonly secrets: Candidate[]; takenUntil: number; namedUntil: number }
/** `lead` is how many characters of the anchor stand before the last one that was looked for. */
type Anchor = { readonly text: string; readonly lead: number; readonly rules: Compiled[] }

/**
 * A token begins where a word begins. An escaped line break, an escaped quote or a percent code in front of it ends
 * in a letter or digit too, and texts that were encoded on their way are common.
 */
const wordStart =
  '(?:(?![A-Za-z0-9])|(?<=^|[^A-Za-z0-9]|\\\\[nrtbf]|\\\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\\x1b\\[[0-9;]{0,8}m))'
const wordEnd = '(?:(?<![A-Za-z0-9])|(?![A-Za-z0-9]))'
/** "sk-xxxxxxxx" is how people write that a key belongs there. */
const notFilled = '(?![A-Za-z0-9_.-]{0,40}?(?:[xX]{6}|[*•.#]{6}))'

/** Longer secrets are judged by their beginning, so that a check costs the same on any text. */
const judgedLength = 96

function compile(rule: Rule): Compiled {
  const { before, keep, pattern, contextual } = rule
  const flags = keep?.flags.includes('i') || pattern.flags.includes('i') ? 'iy' : 'y'
  let front = wordStart
  if (before) front = `(?<=${wordStart}(?<before>${before.source}))`
  if (keep) front = `(?<keep>${keep.source})`
  const shape = `${front}${contextual ? '' : notFilled}(?:${pattern.source})`
  const bounded = shape.replace(/\{(\d+),\}/g, (_, least) => `{${least},${Math.max(Number(least), judgedLength)}}`)
  return {
    rule,
    regexp: new RegExp(contextual ? shape : shape + wordEnd, flags),
    glance: rule.check && bounded !== shape ? new RegExp(bounded, flags) : undefined,
  }
}

/**
 * Finds secrets in one pass. The pass looks only for the anchors of the rules, three characters at a time: most texts
 * hold none, and then nothing else happens. Where one stands, its rules are tried at that place and nowhere else.
 */
export function compileRules(rules: readonly Rule[]): (text: string) => readonly Candidate[] {
  const { slots, buckets } = indexAnchors(rules.map(compile))
  return (text) => {
    const found: Found = { secrets: [], takenUntil: 0, namedUntil: 0 }
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

/** Five bits a character: after three characters the oldest has left the fifteen bits. */
function hashNext(hash: number, code: number): number {
  return ((hash << 5) ^ Math.imul(code, 0x9e5)) & 0x7fff
}

/** Where in an anchor the three characters stand that ordinary texts hold least: capitals, digits and signs. */
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

/** Adds what the rules find where a part of their anchors ends. */
function tryAnchors(text: string, end: number, anchors: readonly Anchor[], found: Found): void {
  for (const anchor of anchors) {
    const at = end - anchor.lead
    if (at < found.takenUntil || !holdsAt(text, anchor.text, at)) continue
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

/** `startsWith`, but quick to say no: nearly every place differs in the first character. */
function holdsAt(text: string, part: string, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (text.charCodeAt(at + i) !== part.charCodeAt(i)) return false
  return true
}

function tryRule(text: string, anchor: number, compiled: Compiled): Candidate | undefined {
  const { rule, regexp, glance } = compiled
  const seen = glance ? matchAt(glance, text, anchor) : undefined
  if (seen === null || (seen && !passes(rule, text, seen))) return undefined
  const match = matchAt(regexp, text, anchor)
  if (match === null || (seen === undefined && !passes(rule, text, match))) return undefined
  return { ...match, label: match.label ?? rule.label ?? rule.id, rule: rule.id, contextual: rule.contextual ?? false }
}

function matchAt(regexp: RegExp, text: string, anchor: number) {
  regexp.lastIndex = anchor
  const match = regexp.exec(text)
  if (match === null) return null
  const { keep = '', before = '', label } = match.groups ?? {}
  return { anchor, start: anchor + keep.length - before.length, end: anchor + match[0].length, label }
}

function passes({ check }: Rule, text: string, { anchor, start, end }: { anchor: number; start: number; end: number }) {
  if (check === undefined) return true
  return checks[check]({ text, anchor, start, secret: text.slice(start, Math.min(end, start + judgedLength)) })
}

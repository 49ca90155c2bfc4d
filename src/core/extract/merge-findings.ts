import { limits } from '../limits.ts'
import { normaliseContent } from '../provenance/claim.ts'
import { confidenceKeptMin } from '../provenance/resolve-conflict.ts'
import type { Finding } from './language.ts'
import { slug } from './text.ts'

/** A finding with its keys: findings of equal `contentKey` are duplicates, findings of one `slot` compete. */
export type KeyedFinding = Finding & { readonly contentKey: string; readonly slot: string }

/** A finding with the indexes of the messages that contain it. */
export type LocatedFinding = KeyedFinding & { readonly messages: readonly number[] }

/** Adds the keys to a finding. */
export function toKeyedFinding(finding: Finding): KeyedFinding {
  const contentKey = normaliseContent(finding.content)
  return { ...finding, contentKey, slot: `${finding.category} ${finding.claimKey ?? `= ${contentKey}`}` }
}

/**
 * Merges duplicates and resolves competing findings: in one slot the user's latest statement wins. Keeping both would make the
 * claim contested between two statements of one person.
 */
export function mergeFindings(findings: readonly LocatedFinding[]): LocatedFinding[] {
  const bySlot = new Map<string, LocatedFinding[]>()
  for (const finding of findings) {
    bySlot.set(finding.slot, addTo(bySlot.get(finding.slot) ?? [], finding))
  }
  return [...bySlot.values()].flat()
}

/** At most `candidatesPerEventMax` findings: the most important ones, independent of their order in the messages. */
export function topFindings(findings: readonly LocatedFinding[]): readonly LocatedFinding[] {
  if (findings.length <= limits.candidatesPerEventMax) return findings
  const kept = new Set([...findings].sort(byImportance).slice(0, limits.candidatesPerEventMax))
  return findings.filter((finding) => kept.has(finding))
}

function addTo(slot: readonly LocatedFinding[], next: LocatedFinding): LocatedFinding[] {
  const same = slot.find(({ contentKey }) => contentKey === next.contentKey)
  if (same) {
    const confidence = Math.max(same.confidence, next.confidence)
    const merged = { ...same, messages: union(same.messages, next.messages), confidence }
    return [...slot.filter((earlier) => earlier !== same), merged]
  }
  // "I moved to Berlin, I am not in Bonn any more": a negation of another value does not replace the current value.
  const isAboutAnother = next.isNegated && slot.some(({ isNegated, value }) => !isNegated && !isSame(value, next.value))
  if (isAboutAnother) return [...slot]
  // An uncertain finding does not replace a certain one; both are kept.
  const isUncertain = next.confidence < confidenceKeptMin
  return isUncertain ? [...slot, next] : [...slot.filter(({ confidence }) => confidence < confidenceKeptMin), next]
}

function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.every((item) => a.includes(item))) return a
  return [...new Set([...a, ...b])].sort((one, other) => one - other)
}

function isSame(a: string, b: string): boolean {
  return slug(a) === slug(b)
}

function byImportance(a: LocatedFinding, b: LocatedFinding): number {
  return (
    b.importance - a.importance ||
    b.confidence - a.confidence ||
    (a.content === b.content ? 0 : a.content < b.content ? -1 : 1)
  )
}

/** Applies a correction such as "Not Bonn, Berlin": the newest finding with the value `from` gets `to`. Null when there is none. */
export function applyCorrection(
  findings: readonly LocatedFinding[],
  from: string,
  to: string,
  message: number,
): LocatedFinding[] | null {
  const old = slug(from)
  const wrong = findings.findLast(({ value }) => old !== '' && slug(value) === old)
  const at = wrong?.content.toLowerCase().indexOf(wrong.value.toLowerCase()) ?? -1
  if (wrong === undefined || at < 0 || slug(to) === '') return null
  const content = wrong.content.slice(0, at) + to + wrong.content.slice(at + wrong.value.length)
  const isKeyed = wrong.claimKey?.endsWith(`.${old}`) ?? false
  const claimKey = isKeyed ? `${wrong.claimKey?.slice(0, -old.length)}${slug(to)}` : wrong.claimKey
  const messages = union(wrong.messages, [message])
  const corrected = { ...toKeyedFinding({ ...wrong, content, claimKey, value: to }), messages }
  return [...findings.filter((finding) => finding !== wrong), corrected]
}

import { limits } from '../limits.ts'
import { confidenceKept, normaliseContent } from '../provenance/claim.ts'
import type { Finding } from './language.ts'
import { slug } from './text.ts'

/** A finding, what its content is equal to, and which others it competes with. */
export type Reading = Finding & { readonly contentKey: string; readonly slot: string }

/** A reading and the messages it stands in. */
export type Sighting = Reading & { readonly messages: readonly number[] }

export function toReading(finding: Finding): Reading {
  const contentKey = normaliseContent(finding.content)
  return { ...finding, contentKey, slot: `${finding.category} ${finding.claimKey ?? `= ${contentKey}`}` }
}

/**
 * One sighting per thing said: equal contents merge, and in one slot the speaker's last word counts. The last word of a
 * conversation is no second opinion: passing on both would make the slot contested between one person and themselves.
 */
export function settle(sightings: readonly Sighting[]): Sighting[] {
  const bySlot = new Map<string, Sighting[]>()
  for (const sighting of sightings) {
    bySlot.set(sighting.slot, addTo(bySlot.get(sighting.slot) ?? [], sighting))
  }
  return [...bySlot.values()].flat()
}

/** As many as one event may give: what counts most, by an order that does not depend on where it was said. */
export function strongest(settled: readonly Sighting[]): readonly Sighting[] {
  if (settled.length <= limits.candidatesPerEventMax) return settled
  const kept = new Set([...settled].sort(byWeight).slice(0, limits.candidatesPerEventMax))
  return settled.filter((sighting) => kept.has(sighting))
}

function addTo(slot: readonly Sighting[], next: Sighting): Sighting[] {
  const same = slot.find(({ contentKey }) => contentKey === next.contentKey)
  if (same) {
    const confidence = Math.max(same.confidence, next.confidence)
    const merged = { ...same, messages: union(same.messages, next.messages), confidence }
    return [...slot.filter((earlier) => earlier !== same), merged]
  }
  // "I moved to Berlin, I am not in Bonn any more": what is no longer so does not undo what is.
  const isAboutAnother = next.isNegated && slot.some(({ isNegated, value }) => !isNegated && !isSame(value, next.value))
  if (isAboutAnother) return [...slot]
  // A doubt does not undo what was said firmly; it is passed on beside it.
  const isDoubt = next.confidence < confidenceKept
  return isDoubt ? [...slot, next] : [...slot.filter(({ confidence }) => confidence < confidenceKept), next]
}

function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.every((item) => a.includes(item))) return a
  return [...new Set([...a, ...b])].sort((one, other) => one - other)
}

function isSame(a: string, b: string): boolean {
  return slug(a) === slug(b)
}

function byWeight(a: Sighting, b: Sighting): number {
  return (
    b.importance - a.importance ||
    b.confidence - a.confidence ||
    (a.content === b.content ? 0 : a.content < b.content ? -1 : 1)
  )
}

/** "Not Bonn, Berlin": the newest statement whose value was `from` now has `to`. Null when there is none. */
export function correct(sightings: readonly Sighting[], from: string, to: string, message: number): Sighting[] | null {
  const old = slug(from)
  const wrong = sightings.findLast(({ value }) => old !== '' && slug(value) === old)
  const at = wrong?.content.toLowerCase().indexOf(wrong.value.toLowerCase()) ?? -1
  if (wrong === undefined || at < 0 || slug(to) === '') return null
  const content = wrong.content.slice(0, at) + to + wrong.content.slice(at + wrong.value.length)
  const isKeyed = wrong.claimKey?.endsWith(`.${old}`) ?? false
  const claimKey = isKeyed ? `${wrong.claimKey?.slice(0, -old.length)}${slug(to)}` : wrong.claimKey
  const messages = union(wrong.messages, [message])
  const corrected = { ...toReading({ ...wrong, content, claimKey, value: to }), messages }
  return [...sightings.filter((sighting) => sighting !== wrong), corrected]
}

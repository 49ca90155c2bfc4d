import type { Ending, Expectation, Revision } from '../commit/batch.ts'
import { isExpired } from '../entries/as-of.ts'
import type { EntryVersion } from '../entries/entry.ts'

/** The text that an entry is to have, with its class. */
export type EntryText = Pick<Revision, 'content' | 'tags' | 'origin'> & Pick<EntryVersion, 'classification' | 'trust'>

/** The changes of entries that a containment or a release makes. */
export type EntryMoves = { readonly revisions: Revision[]; readonly ends: Ending[]; readonly expects: Expectation[] }

export type MoveOptions = {
  readonly salt: () => string
  readonly now: number
  /** Why the replaced version ends. A release revises. */
  readonly replaces?: 'contained' | undefined
}

type Target = {
  /** Null leaves the text as it is. */
  readonly text: EntryText | null
  /** `live`, or the reason of its end. */
  readonly status: string
}

/**
 * Adds the change that brings an entry to a state: its next version, its end, or a version that ends as it begins. False when the entry has
 * that state already, or has expired. The change is refused if the entry has another newest version by then.
 */
export function moveEntry(
  newest: EntryVersion,
  { text, status }: Target,
  moves: EntryMoves,
  { salt, now, replaces }: MoveOptions,
): boolean {
  if (isExpired(newest, now)) return false
  const { memoryRef, entryId, version } = newest
  const key = { memoryRef, entryId }
  const isLive = newest.endedPosition === null
  const wanted = text ?? newest
  const isSameText = said(wanted) === said(newest)
  const isSameStatus = status === (isLive ? 'live' : newest.endedReason)
  if (isSameStatus && isSameText) return false
  moves.expects.push({ ...key, version, ...(isLive ? {} : { isEnded: true as const }) })
  if (isLive && status !== 'live' && isSameText) {
    moves.ends.push({ ...key, reason: status })
    return true
  }
  const { content, tags, origin, classification, trust } = wanted
  moves.revisions.push({
    ...key,
    content,
    tags,
    origin,
    salt: salt(),
    revives: !isLive,
    ...(classification === null ? {} : { classification }),
    trust,
    ...(isLive && replaces !== undefined ? { replaces } : {}),
    ...(status === 'live' ? {} : { endsAtOnce: status }),
  })
  return true
}

/** Reasons of an end that leaves the entry in lists of all memories, and that claims and people change. */
const changeable: ReadonlySet<string> = new Set(['live', 'superseded', 'archived', 'contained'])

/**
 * An entry that was deleted, compacted or has expired stays so, and one that a containment had brought back ends again. False for an entry
 * that is current or listed.
 */
export function endAgain(newest: EntryVersion, status: string, moves: EntryMoves, options: MoveOptions): boolean {
  if (changeable.has(status)) return false
  if (newest.endedPosition === null) moveEntry(newest, { text: null, status }, moves, options)
  return true
}

function said({ content, tags, classification, trust }: EntryText): string {
  return JSON.stringify([content, tags, classification, trust])
}

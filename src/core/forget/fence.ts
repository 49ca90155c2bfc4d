import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion, Claim } from '../provenance/claim.ts'
import type { SourceEvent } from '../provenance/source-event.ts'

/** What a fence can name. A subject is fenced by two: entries about it anywhere, and the ref that is its own. */
export type FenceKind = 'subject' | 'ref' | 'tag' | 'writer' | 'event' | 'run' | 'entry'

/**
 * One line of a fence: what it names is hidden from everybody, at every position, until it is erased. Only what was there
 * when the fence was put up; what is told afterwards is new and welcome.
 */
export type Fence = {
  readonly kind: FenceKind
  readonly value: string
  /** Entries created, and events taken, up to this position. */
  readonly position: number
  /** Of a run: what it wrote from this sequence on, and before the other. */
  readonly fromSequence: number
  readonly toSequence: number
}

/** A line before it is stored; without a position it gets that of its commit. */
export type NewFence = Omit<Fence, 'position'> & { readonly position: number | null }

export const everySequence = { fromSequence: 0, toSequence: Number.MAX_SAFE_INTEGER } as const

/** `tags` are those of all versions of the entry: who once bore the tag is meant. */
export function isFenced(version: EntryVersion, fences: readonly Fence[], tags: () => readonly string[]): boolean {
  return fences.some((fence) => version.createdPosition <= fence.position && names(fence, version, tags))
}

function names(fence: Fence, version: EntryVersion, tags: () => readonly string[]): boolean {
  const { kind, value } = fence
  const { origin } = version
  switch (kind) {
    case 'subject':
      return version.subject === value
    case 'ref':
      return version.memoryRef === value
    case 'entry':
      return version.entryId === value
    case 'tag':
      return tags().includes(value)
    case 'writer':
      return origin.kind === 'service' && origin.service === value
    case 'event':
      return (origin.kind === 'service' || origin.kind === 'api') && origin.sourceEventId === value
    case 'run': {
      if (origin.kind !== 'run' && origin.kind !== 'session') return false
      const { runId, sequence } = origin
      return runId === value && sequence >= fence.fromSequence && sequence < fence.toSequence
    }
  }
}

export function isEventFenced(
  event: Pick<SourceEvent, 'sourceEventId' | 'service' | 'subject' | 'recordedPosition'>,
  fences: readonly Fence[],
): boolean {
  return fences.some(({ kind, value, position }) => {
    if (event.recordedPosition > position) return false
    if (kind === 'ref') return value === `subject:${event.subject}`
    if (kind === 'writer') return value === event.service
    return kind === 'event' && value === event.sourceEventId
  })
}

/** Claims are made again only when the fence is gone, so every claim of the subject is meant. */
export function isClaimFenced(claim: Pick<Claim, 'subject'>, fences: readonly Fence[]): boolean {
  return fences.some(({ kind, value }) => kind === 'ref' && value === `subject:${claim.subject}`)
}

export function isAssertionFenced(
  assertion: Assertion,
  fences: readonly Fence[],
  tagsOf: (entryId: string) => readonly string[],
): boolean {
  const { service, sourceEventId, entryId, recordedPosition } = assertion
  return fences.some(({ kind, value, position }) => {
    if (recordedPosition > position) return false
    if (kind === 'writer') return value === service
    if (kind === 'event') return value === sourceEventId
    if (kind === 'entry') return value === entryId
    return kind === 'tag' && entryId !== null && tagsOf(entryId).includes(value)
  })
}

/** Whether an event has to wait until a forget is done: it would be decided beside things that are about to go. */
export function isHeldUp(event: Pick<SourceEvent, 'subject' | 'recordedPosition'>, fences: readonly Fence[]): boolean {
  return fences.some(
    ({ kind, value, position }) =>
      kind !== 'run' &&
      event.recordedPosition > position &&
      (kind !== 'ref' || value === `subject:${event.subject}`) &&
      (kind !== 'subject' || value === event.subject),
  )
}

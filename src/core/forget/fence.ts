import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion, ClaimRecord } from '../provenance/claim.ts'
import type { SourceEventRecord } from '../provenance/source-event.ts'

/** What a fence can select. A subject has two fences: one for the entries about it in any ref, one for its own ref. */
export type FenceKind = 'subject' | 'ref' | 'tag' | 'writer' | 'event' | 'run' | 'entry'

/**
 * A fence hides rows that are being forgotten from all reads, at every position, until they are erased. Rows that are written after its
 * position are visible.
 */
export type Fence = {
  readonly kind: FenceKind
  readonly value: string
  /** It covers entries created, and source events recorded, up to this position; `Number.MAX_SAFE_INTEGER` covers later ones too. */
  readonly position: number
  /** Of a run: it covers writes from `fromSequence` on and before `toSequence`. */
  readonly fromSequence: number
  readonly toSequence: number
}

/** A fence before it is stored; with `position: null` it gets the position of its commit. */
export type NewFence = Omit<Fence, 'position'> & { readonly position: number | null }

/** All writes of a run. */
export const everySequence = { fromSequence: 0, toSequence: Number.MAX_SAFE_INTEGER } as const

/** Whether a version is hidden by a fence. `tags` are those of all versions of the entry: an entry that once had the tag is covered. */
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

/** Whether a source event is hidden by a fence. */
export function isEventFenced(
  event: Pick<SourceEventRecord, 'sourceEventId' | 'service' | 'subject' | 'recordedPosition'>,
  fences: readonly Fence[],
): boolean {
  return fences.some(({ kind, value, position }) => {
    if (event.recordedPosition > position) return false
    if (kind === 'ref') return value === `subject:${event.subject}`
    if (kind === 'writer') return value === event.service
    return kind === 'event' && value === event.sourceEventId
  })
}

/** Whether a claim is hidden by a fence. New claims of the subject are made only after the fence is removed, so all of them are covered. */
export function isClaimFenced(claim: Pick<ClaimRecord, 'subject'>, fences: readonly Fence[]): boolean {
  return fences.some(({ kind, value }) => kind === 'ref' && value === `subject:${claim.subject}`)
}

/** Whether an assertion is hidden by a fence. */
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

/** Whether a source event must wait until a forget has ended: its claims could be decided against rows that are about to be erased. */
export function isBlockedByForget(
  event: Pick<SourceEventRecord, 'subject' | 'recordedPosition'>,
  fences: readonly Fence[],
): boolean {
  return fences.some(
    ({ kind, value, position }) =>
      kind !== 'run' &&
      event.recordedPosition > position &&
      (kind !== 'ref' || value === `subject:${event.subject}`) &&
      (kind !== 'subject' || value === event.subject),
  )
}

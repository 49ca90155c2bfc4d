import { contentSeal } from '../audit/row-digests.ts'
import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { assertionsAfter } from './assertions-after.ts'
import type { Assertion, ClaimRecord, UnsealedAssertion } from './claim.ts'
import type { ClaimStep, ContainmentMarks, Repricing } from './claim-step.ts'
import { type NewSourceEvent, type SourceEventRecord, sourceKeyOf } from './source-event.ts'

/** A change of a claim with its revision and position, as the database writes it. */
export type SealedClaim = {
  readonly claim: ClaimRecord
  readonly assertions: readonly Assertion[]
  /** Contents whose assertions are withdrawn at the claim's new position. */
  readonly withdrawn: readonly string[]
  readonly repriced: readonly Repricing[]
  readonly erased: readonly string[]
  readonly restated: readonly Pick<Assertion, 'ordinal' | 'content' | 'seal'>[]
  readonly marked: readonly ContainmentMarks[]
  readonly removed: readonly number[]
  readonly detached: readonly string[]
  readonly attached: readonly { readonly contentKey: string; readonly entryId: string }[]
  readonly isRemoved: boolean
  /** All assertions of the claim after the change: the audit records their digest. */
  readonly after: readonly Assertion[]
}

/** Decides a change of a claim under the tenant's lock: it is refused if the claim has another revision. */
export function sealClaim(step: ClaimStep, revision: number, position: number): SealedClaim {
  if (revision !== step.expects) {
    throw new ColophonError('version_conflict', 'The claim was updated concurrently; retry.', {
      details: { expected: step.expects, actual: revision },
    })
  }
  const [first] = step.assertions
  const lastBefore = step.before.at(-1)?.ordinal ?? -1
  invariant(first === undefined || first.ordinal > lastBefore, 'the ordinals of assertions grow')
  const sealed = {
    claim: { ...step.claim, revision: revision + 1, updatedPosition: position },
    assertions: step.assertions.map((assertion) => sealAssertion({ ...assertion, recordedPosition: position })),
    withdrawn: step.withdrawn,
    repriced: step.repriced,
    erased: step.erased ?? [],
    restated: (step.restated ?? []).map(({ ordinal, content, salt }) => ({
      ordinal,
      content,
      seal: sealOf(salt, content),
    })),
    marked: step.marked ?? [],
    removed: step.removed ?? [],
    detached: step.detached ?? [],
    attached: step.attached ?? [],
    isRemoved: step.isRemoved ?? false,
  }
  return { ...sealed, after: assertionsAfter(step.before, sealed) }
}

/** Seals the redacted content of an assertion. */
export function sealAssertion({ salt, ...assertion }: UnsealedAssertion): Assertion {
  return { ...assertion, seal: sealOf(salt, assertion.content) }
}

function sealOf(salt: string | undefined, content: string): string {
  return salt === undefined ? '' : contentSeal(salt, content)
}

/**
 * A source event is stored once. A second call with the same service and event id gets `source_event_exists`, and reads the first. A
 * forgotten event is recognised by its tombstone, and is not stored again.
 */
export function sealSourceEvent(
  { tombstone, ...event }: NewSourceEvent,
  isKnown: (service: string, eventId: string) => boolean,
  position: number,
): SourceEventRecord {
  const { service, eventId } = event
  if (sourceKeyOf(event) !== null && isKnown(service as string, eventId as string)) {
    throw new ColophonError('source_event_exists', 'This source event was stored already.')
  }
  if (tombstone !== undefined && isKnown(service as string, tombstone)) {
    throw new ColophonError('source_event_erased', 'This event was forgotten: it cannot be sent again.')
  }
  return { ...event, recordedPosition: position }
}

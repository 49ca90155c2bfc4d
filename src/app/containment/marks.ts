import { actorOf } from '../../core/containment/selector.ts'
import type { EntryState } from '../../core/containment/state-without.ts'
import { type Assertion, type ClaimRecord, normaliseContent, type Pin } from '../../core/provenance/claim.ts'
import type { ContainmentMarks } from '../../core/provenance/claim-step.ts'
import type { Affected } from './affected.ts'
import type { ClaimRow } from './containment-record.ts'
import type { Lineage } from './lineage.ts'

/** How the marks and the pin of a claim change. */
export type Remarked = {
  readonly marked: readonly ContainmentMarks[]
  readonly pin: Pin | null
  /** The withdrawals that the new containment covers. */
  readonly withdrawn?: NonNullable<ClaimRow['withdrawn']>
}

type Inputs = {
  readonly id: string
  /** What is covered after the change. */
  readonly lineage: Lineage
  readonly claim: ClaimRecord
  readonly assertions: readonly Assertion[]
  readonly stateOf: (entryId: string) => EntryState | undefined
}

/** Marks the assertions of contained source events, contents that the contained source withdrew, and its pin. */
export function addMarks({ affected, ...inputs }: Inputs & { readonly affected: Affected }): Remarked {
  const { id, lineage, claim, assertions } = inputs
  const { claimId, pin } = claim
  const withdrawn = assertions.flatMap(({ ordinal, withdrawnPosition: at }) =>
    at !== null && affected.withdrawnAt.has(at) ? [[ordinal, at] as const] : [],
  )
  lineage.addWithdrawals(id, claimId, withdrawn)
  const stated = affected.stated.get(claimId)
  const marked = remark(inputs, ({ ordinal, containedBy = null }) =>
    stated?.has(ordinal) ? [...(containedBy ?? []), id] : containedBy,
  )
  const isPinOurs = pin !== null && pin.actor === actorOf(affected.selector) && pin.at >= affected.createdSince
  return { marked, withdrawn, pin: isPinOurs ? { ...pin, containedBy: [...(pin.containedBy ?? []), id] } : pin }
}

/** Removes the marks of a containment. Those of others stay. */
export function removeMarks(inputs: Inputs): Remarked {
  const { id, claim } = inputs
  const marked = remark(inputs, ({ containedBy }) => without(containedBy, id))
  const { pin } = claim
  if (!pin?.containedBy?.includes(id)) return { marked, pin }
  const { containedBy: _ids, ...restored } = pin
  const others = without(pin.containedBy, id)
  return { marked, pin: others === null ? restored : { ...restored, containedBy: others } }
}

function remark(
  { lineage, assertions, stateOf }: Inputs,
  containedBy: (assertion: Assertion) => readonly string[] | null,
): readonly ContainmentMarks[] {
  return assertions.flatMap((assertion): ContainmentMarks[] => {
    const marks: ContainmentMarks = {
      ordinal: assertion.ordinal,
      containedBy: containedBy(assertion),
      withdrawalContainedBy: isText(assertion, stateOf) ? lineage.withdrawalOf(assertion) : null,
    }
    const isSame =
      said(marks.containedBy) === said(assertion.containedBy) &&
      said(marks.withdrawalContainedBy) === said(assertion.withdrawalContainedBy)
    return isSame ? [] : [marks]
  })
}

/**
 * Whether an assertion states what its entry says without what is contained. A withdrawal by the contained source is undone only then: a
 * content that another source edited afterwards stays withdrawn.
 */
function isText({ entryId, content }: Assertion, stateOf: Inputs['stateOf']): boolean {
  const state = entryId === null ? undefined : stateOf(entryId)
  if (state === undefined || content === '' || state.status === 'deleted') return false
  // Without any other text, the entry says what its assertions state.
  return state.text === null || normaliseContent(state.text.content) === normaliseContent(content)
}

function said(ids: readonly string[] | null | undefined): string {
  return (ids ?? []).join(' ')
}

function without(ids: readonly string[] | null | undefined, id: string): readonly string[] | null {
  const others = (ids ?? []).filter((other) => other !== id)
  return others.length === 0 ? null : others
}

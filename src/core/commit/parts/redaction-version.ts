import type { BatchPart } from './part.ts'

export type RedactionVersionMembers = {
  /** Whether texts must be redacted anew from now on: secrets, rules or the policy change. */
  readonly changesRedaction: boolean
}

/** The version of the redaction. A batch that was redacted under an earlier one is refused from then on. */
export const redactionVersion: BatchPart<RedactionVersionMembers> = {
  members: ['changesRedaction'],
  none: { changesRedaction: false },
  noRows: {},
  audit: (_rows, { changesRedaction }, context) =>
    changesRedaction ? { redactionVersion: context.redactionVersion + 1 } : {},
  advance: (_rows, { changesRedaction }, clock) =>
    changesRedaction ? { redactionVersion: clock.redactionVersion + 1 } : {},
}

import { isClientError } from '../../client/index.ts'

/** What became of an item. */
export type ImportOutcome = 'imported' | 'skipped'

/** How often a change is decided again because another client changed the ref meanwhile. */
export const attemptsMax = 10

/** Whether an event that is sent again was stored with another text, or forgotten. Either way it is not imported again. */
export function isKnownEvent(error: unknown): boolean {
  return isClientError(error, 'source_event_payload_mismatch') || isClientError(error, 'source_event_erased')
}

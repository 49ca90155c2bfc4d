// How a scenario can end, and the comparison its assertions use.
import { isDeepStrictEqual } from 'node:util'

export type Outcome = 'executed-pass' | 'executed-fail' | 'inapplicable' | 'blocked'

/** The host did something else than it must. */
export class AssertionFailure extends Error {}
/** The host does not advertise what this scenario is about. */
export class Inapplicable extends Error {}
/** The scenario binds the host, but something to observe it with is missing. */
export class Blocked extends Error {}

/** The scenario was too late to observe what it needed, which proves nothing about the host: it starts again. */
export class CameTooLate extends Error {}

export const sameValue = (actual: unknown, expected: unknown): boolean => isDeepStrictEqual(actual, expected)

/** A value as short text for a message. */
export function describe(value: unknown): string {
  const text = value === undefined ? 'undefined' : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

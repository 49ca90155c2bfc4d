/** A broken invariant: a bug in this program, never a caller's mistake. The request fails with `internal_error`; nothing of it is stored. */
class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken'
}

/**
 * Checks a fact that the code relies on, also in production. The check must be cheap: no loop over stored data. The reason says why
 * the fact holds, in fixed words: it must not contain texts of a tenant.
 *
 * @example
 * invariant(position > clock.position, 'positions of a tenant only grow')
 */
export function invariant(condition: unknown, reason: string): asserts condition {
  if (!condition) throw new InvariantBroken(reason)
}

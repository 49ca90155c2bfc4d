/** The limits of containments, part of `limits`. */
export const containmentLimits = {
  /** Entries, and claims, that one containment may change: it is one commit, which takes half a second on SQLite at this size. */
  containmentEntriesMax: 5_000,
  /** Entries, claims and runs of a containment that are stored together, and returned as one page. */
  containmentPageMax: 500,
  containmentsPageMax: 100,
  /** How often a containment is tried again when other writes come between its decision and its commit. */
  containmentAttemptsMax: 40,
} as const

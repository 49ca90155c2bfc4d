/** Limits of the sessions of the console, for `limits`. */
export const sessionLimits = {
  /** How long a session of the console lasts at most. It ends earlier with its key. */
  sessionMs: 12 * 60 * 60 * 1_000,
  /** Sessions that one key opened, at the same time: one more ends its oldest. */
  sessionsPerKeyMax: 100,
  /** Sessions of a tenant at the same time: one more ends the oldest of the key that has the most. */
  sessionsPerTenantMax: 1_000,
} as const

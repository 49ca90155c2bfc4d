/** Limits of clocks, compared with what is recorded, for `limits`. */
export const clockLimits = {
  /** The clock of a server may be ahead of the latest record of the database by so much: a server that was off for a year still writes. */
  clockAheadMsMax: 366 * 24 * 60 * 60 * 1_000,
  /** The clock is reported as set back if a record of the database is later by more than this. Servers that agree differ by less. */
  clockBehindMsMax: 60_000,
  /** 2025-01-01: earlier instants of records, as from a machine whose clock was not set at its first start, are no reason to refuse a clock. */
  recordedInstantMin: 1_735_689_600_000,
  /** While the clock is ahead, the database is searched for a later record at most this often. */
  clockSearchPauseMs: 10_000,
  /** Tenants whose last recorded instant a process knows. More than those whose keys it knows. */
  recordedInstantsMax: 100_000,
} as const

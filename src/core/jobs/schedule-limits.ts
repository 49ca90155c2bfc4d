import { heartbeatLimits } from '../heartbeats/heartbeat-limits.ts'

/** Limits of what the host does by the clock: schedules and heartbeats. */
export const scheduleLimits = {
  ...heartbeatLimits,
  /** A schedule must first be due within 90 days. */
  scheduleHorizonMs: 90 * 24 * 60 * 60 * 1_000,
  /** A due time that is later than this counts as missed, for schedules that skip those. */
  scheduleGraceMs: 60_000,
  /** Expired entries that a dry run of the sweep counts, with one short read. */
  expiryDryRunMax: 10_000,
} as const

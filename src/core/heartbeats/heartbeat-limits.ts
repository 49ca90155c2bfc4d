/** Limits of heartbeats. */
export const heartbeatLimits = {
  heartbeatsPerTenantMax: 20,
  /** A shorter interval becomes this one: each tick is a record of the audit. */
  heartbeatIntervalSecMin: 60,
  heartbeatIntervalSecMax: 24 * 60 * 60,
  /** An evaluation that takes longer is ended, and its tick has the status `timeout`. */
  heartbeatRuntimeMsMax: 5_000,
  /** Entries or jobs that one evaluation counts. If there are more, the state says so. */
  heartbeatCountMax: 10_000,
  /** Members of the state of a heartbeat. */
  heartbeatStateMembersMax: 16,
} as const

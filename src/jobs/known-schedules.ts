import { retentionJobKind } from '../app/provenance/retention.ts'

/** Schedules that the host makes for every tenant that needs them. They can be paused, but not changed or removed. */
export const hostSchedules: readonly string[] = ['payload-retention']

/** Work that may be asked for again and again: passes over what is stored, which are safe to repeat at any time. */
export const schedulableKinds: readonly string[] = ['colophon.re-redact', retentionJobKind]

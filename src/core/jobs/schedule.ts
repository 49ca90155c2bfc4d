import { limits } from '../limits.ts'
import { parseTiming } from './timing.ts'

/** Due times, and the job that is enqueued at each of them. `cron` is a timing: see timing.ts. */
export type Schedule = {
  readonly scheduleId: string
  readonly cron: string
  readonly kind: string
  readonly payload: unknown
  readonly nextDueAt: number
  readonly lastDueAt: number | null
}

/** The due time of a paused schedule. It keeps its row, so that registering it again does not resume it by accident. */
export const neverDue = Number.MAX_SAFE_INTEGER

/** Whether a schedule is paused. */
export function isPaused(schedule: Pick<Schedule, 'nextDueAt' | 'cron' | 'lastDueAt'>): boolean {
  return schedule.nextDueAt === neverDue && !isOver(schedule)
}

/** Whether a schedule with a single due time was due already. */
export function isOver({ nextDueAt, cron, lastDueAt }: Pick<Schedule, 'nextDueAt' | 'cron' | 'lastDueAt'>): boolean {
  return nextDueAt === neverDue && lastDueAt !== null && parseTiming(cron).kind === 'at'
}

/** What happens with due times that passed while no worker ran: one job makes up for all of them, or none. */
export const missedPolicies = ['once', 'skip'] as const

export type MissedPolicy = (typeof missedPolicies)[number]

const dayMs = 24 * 60 * 60 * 1_000

/** How far ahead a schedule may first be due, as an ISO-8601 duration. */
export const scheduleHorizon = `P${limits.scheduleHorizonMs / dayMs}D`

/** A recurring job: at each time of the cron expression a job is enqueued. Times are UTC. */
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
export function isPaused({ nextDueAt }: Pick<Schedule, 'nextDueAt'>): boolean {
  return nextDueAt === neverDue
}

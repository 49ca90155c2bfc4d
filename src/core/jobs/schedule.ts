/** Work that comes back: at each due time a job is enqueued. Times are UTC. */
export type Schedule = {
  readonly scheduleId: string
  readonly cron: string
  readonly kind: string
  readonly payload: unknown
  readonly nextDueAt: number
  readonly lastDueAt: number | null
}

/** When a paused schedule is next due. It keeps its row, so whoever registers it again does not start it by accident. */
export const neverDue = Number.MAX_SAFE_INTEGER

export function isPaused({ nextDueAt }: Pick<Schedule, 'nextDueAt'>): boolean {
  return nextDueAt === neverDue
}

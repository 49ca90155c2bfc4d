/** Work that comes back: at each due time a job is enqueued. Times are UTC. */
export type Schedule = {
  readonly scheduleId: string
  readonly cron: string
  readonly kind: string
  readonly payload: unknown
  readonly nextDueAt: number
  readonly lastDueAt: number | null
}

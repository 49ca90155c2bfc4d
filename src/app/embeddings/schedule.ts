import { limits } from '../../core/limits.ts'
import { redactSchedule } from '../../core/redaction.ts'
import type { Deps } from '../deps.ts'

export const embedJobKind = 'colophon.embed'
export const embedScheduleId = 'embeddings'

/** Once a day, for what a process that ended did not get to. */
const cron = '15 4 * * *'
const dayMs = 24 * 60 * 60 * 1_000

/** A tenant has new texts. Many at once become one job. */
export function noteTexts(deps: Deps, tenantId: string): void {
  const { embeddings } = deps
  if (embeddings === null || !embeddings.collect(tenantId)) return
  setTimeout(() => void bringForward(deps), limits.embedGatherMs).unref()
}

/** The schedule of each tenant that has new texts becomes due now; of several processes one moves it. */
async function bringForward(deps: Deps): Promise<void> {
  for (const tenantId of deps.embeddings?.take() ?? []) {
    // A database that is away is not made better by trying again: the next text will, or the time of the schedule.
    await makeDue(deps, tenantId).catch(() => {})
  }
}

/** Makes the schedule of a tenant unless it has one, and makes it due. */
async function makeDue(deps: Deps, tenantId: string): Promise<void> {
  const { jobs } = deps.storage
  const now = deps.system.now()
  const known = (await jobs.schedules(tenantId)).find(({ scheduleId }) => scheduleId === embedScheduleId)
  if (known === undefined) {
    const times = { nextDueAt: now + dayMs, lastDueAt: null }
    const schedule = { scheduleId: embedScheduleId, cron, kind: embedJobKind, payload: null, ...times }
    // All of it is the host's own words: there is nothing to redact.
    await jobs.putSchedule(
      tenantId,
      redactSchedule(schedule, (text) => text),
    )
    await jobs.moveSchedule(tenantId, embedScheduleId, times.nextDueAt, now)
  } else if (known.nextDueAt > now) {
    await jobs.moveSchedule(tenantId, embedScheduleId, known.nextDueAt, now)
  }
  deps.workers.wake(embedJobKind)
}

/** For every tenant there is, when a server starts: an embedder may be new here, or another one. */
export async function makeAllDue(deps: Deps, signal: AbortSignal): Promise<void> {
  if (deps.embeddings === null) return
  for (let after: string | null = null; !signal.aborted; ) {
    const tenants = await deps.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of tenants) if (!signal.aborted) await makeDue(deps, tenantId)
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null) return
  }
}

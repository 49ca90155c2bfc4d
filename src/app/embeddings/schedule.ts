import { limits } from '../../core/limits.ts'
import { redactSchedule } from '../../core/redaction/redaction.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

export const embedJobKind = 'colophon.embed'
export const embedScheduleId = 'embeddings'

/** Once a day, for what a process that ended did not get to. */
const cron = '15 4 * * *'
const dayMs = 24 * 60 * 60 * 1_000

/** A tenant has new texts. Many at once become one job. */
export function noteTexts(tenant: Tenant): void {
  const { embeddings } = tenant.host
  if (embeddings === null || !embeddings.noteTenant(tenant.id)) return
  setTimeout(() => void bringForward(tenant.engine), limits.embedGatherMs).unref()
}

/** The schedule of each tenant that has new texts becomes due now; of several processes one moves it. */
async function bringForward(engine: Engine): Promise<void> {
  for (const tenantId of engine.host.embeddings?.takeNotedTenants() ?? []) {
    // A database that is away is not made better by trying again: the next text will, or the time of the schedule.
    await makeDue(engine.tenant(tenantId)).catch(() => {})
  }
}

/** Makes the schedule of a tenant unless it has one, and makes it due. */
async function makeDue(tenant: Tenant): Promise<void> {
  const { jobs } = tenant.storage
  const now = tenant.now()
  const known = (await jobs.schedules(tenant.id)).find(({ scheduleId }) => scheduleId === embedScheduleId)
  if (known === undefined) {
    const times = { nextDueAt: now + dayMs, lastDueAt: null }
    const schedule = { scheduleId: embedScheduleId, cron, kind: embedJobKind, payload: null, ...times }
    // All of it is the host's own words: there is nothing to redact.
    await jobs.putSchedule(
      tenant.id,
      redactSchedule(schedule, (text) => text),
    )
    await jobs.moveSchedule(tenant.id, embedScheduleId, times.nextDueAt, now)
  } else if (known.nextDueAt > now) {
    await jobs.moveSchedule(tenant.id, embedScheduleId, known.nextDueAt, now)
  }
  tenant.engine.workers.wake(embedJobKind)
}

/** For every tenant there is, when a server starts: an embedder may be new here, or another one. */
export async function makeAllDue(engine: Engine, signal: AbortSignal): Promise<void> {
  if (engine.host.embeddings === null) return
  for (let after: string | null = null; !signal.aborted; ) {
    const tenants = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of tenants) if (!signal.aborted) await makeDue(engine.tenant(tenantId))
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null) return
  }
}

import { limits } from '../../core/limits.ts'
import { redactSchedule } from '../../core/redaction/redaction.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

/** The job that makes vectors for new texts. */
export const embedJobKind = 'colophon.embed'
/** The id of its schedule in every tenant. */
export const embedScheduleId = 'embeddings'

/** Once a day, for texts that a process left behind when it ended. */
const cron = '15 4 * * *'
const dayMs = 24 * 60 * 60 * 1_000

/** A tenant has new texts. Texts of a short time are embedded by one job. */
export function scheduleEmbedding(tenant: Tenant): void {
  const { embeddings } = tenant.host
  if (embeddings === null || !embeddings.noteTenant(tenant.id)) return
  setTimeout(() => void bringForward(tenant.engine), limits.embedGatherMs).unref()
}

/** Makes the schedule of each tenant with new texts due now. Of several processes one succeeds. */
async function bringForward(engine: Engine): Promise<void> {
  for (const tenantId of engine.host.embeddings?.takeNotedTenants() ?? []) {
    // The database is unavailable: the next text, or the time of the schedule, tries again.
    await makeDue(engine.tenant(tenantId)).catch(() => {})
  }
}

/** Creates the schedule of a tenant if it has none, and makes it due now. */
async function makeDue(tenant: Tenant): Promise<void> {
  const { jobs } = tenant.storage
  const now = tenant.now()
  const known = (await jobs.schedules(tenant.id)).find(({ scheduleId }) => scheduleId === embedScheduleId)
  if (known === undefined) {
    const times = { nextDueAt: now + dayMs, lastDueAt: null }
    const schedule = { scheduleId: embedScheduleId, cron, kind: embedJobKind, payload: null, ...times }
    // All texts are the host's own, so there is nothing to redact.
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

/** For every tenant, when a server starts: the embedder may be new, or another one than before. */
export async function scheduleEmbeddingOfAll(engine: Engine, signal: AbortSignal): Promise<void> {
  // By a clock that is years ahead, a schedule would be due in years.
  if (engine.host.embeddings === null || (await engine.instants.isAhead())) return
  for (let after: string | null = null; !signal.aborted; ) {
    const tenants = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of tenants) if (!signal.aborted) await makeDue(engine.tenant(tenantId))
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null) return
  }
}

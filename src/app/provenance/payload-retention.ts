import { type DryRun, describePayloads, toDryRun } from '../../core/jobs/dry-run.ts'
import { limits } from '../../core/limits.ts'
import { redactSchedule } from '../../core/redaction/redaction.ts'
import type { Engine } from '../engine.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

const dayMs = 24 * 60 * 60 * 1_000

export const payloadRetentionJobKind = 'colophon.payload-retention'
/** Every day at 03:20 UTC. A missed day is made up for. */
const retentionCron = '20 3 * * *'

const scheduled = new WeakMap<Engine['storage'], Set<string>>()

/** Creates the daily schedule that deletes old messages, for every tenant with source events. */
export async function schedulePayloadRetention(tenant: Tenant): Promise<void> {
  const known = scheduled.get(tenant.storage) ?? new Set<string>()
  scheduled.set(tenant.storage, known)
  if (known.has(tenant.id)) return
  const { redaction } = await tenant.context()
  const schedule = {
    scheduleId: 'payload-retention',
    cron: retentionCron,
    kind: payloadRetentionJobKind,
    payload: null,
    nextDueAt: nextPass(tenant.now()),
    lastDueAt: null,
  }
  await tenant.storage.jobs.putSchedule(
    tenant.id,
    await redaction.redact(({ scanNames }) => redactSchedule(schedule, scanNames)),
  )
  known.add(tenant.id)
}

function nextPass(now: number): number {
  const passAt = (3 * 60 + 20) * 60 * 1_000
  const today = Math.floor(now / dayMs) * dayMs + passAt
  return today > now ? today : today + dayMs
}

/** Deletes the messages of source events that are older than the tenant's retention. Service, instants and payload hash stay. */
export async function redactPayloads(tenant: Tenant, signal: AbortSignal): Promise<RedactedPayloads> {
  const call = { operation: 'payload.retention' }
  const counts = await eachOldPayloads(tenant, signal, async (due) => {
    await tenant.commit({ kind: 'source.payloads_redacted', payloadsRedacted: due }, { call })
  })
  await tenant.commit({ kind: 'source.payloads_redacted', counts }, { call })
  return counts
}

/** The messages of how many source events a pass would delete now. Nothing is stored. */
export async function dryRunPayloads(tenant: Tenant, signal: AbortSignal): Promise<DryRun<RedactedPayloads>> {
  return toDryRun(await eachOldPayloads(tenant, signal, () => {}), describePayloads)
}

type RedactedPayloads = { readonly redacted: number; readonly waiting: number }

async function eachOldPayloads(
  tenant: Tenant,
  signal: AbortSignal,
  onSome: (sourceEventIds: readonly string[]) => Promise<void> | void,
): Promise<RedactedPayloads> {
  const { extractionPayloadRetentionDays: days } = await loadSettings(tenant.storage, tenant.id)
  const receivedBefore = tenant.now() - days * dayMs
  let redacted = 0
  let waiting = 0
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted()
    const limit = limits.retentionPageEventsMax
    const page = await tenant.storage.provenance.keptPayloads({ tenantId: tenant.id, receivedBefore, after, limit })
    const due: string[] = []
    for (const { sourceEventId, jobId } of page) {
      const job = await tenant.storage.jobs.get(tenant.id, jobId)
      // Messages that an unfinished job has to read are kept until the job ends.
      const isNeeded = job?.status === 'queued' || job?.status === 'leased'
      if (isNeeded) waiting += 1
      else due.push(sourceEventId)
    }
    if (due.length > 0) await onSome(due)
    redacted += due.length
    after = page.at(-1)?.sourceEventId ?? null
    if (after === null) return { redacted, waiting }
  }
}

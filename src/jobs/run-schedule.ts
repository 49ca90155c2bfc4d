import type { WriteOptions } from '../app/commit.ts'
import { compactionPassKind, requestedPass } from '../app/compaction/compaction-schedule.ts'
import { consolidationPassKind, requestedConsolidation } from '../app/consolidation/consolidation-schedule.ts'
import { type ScheduledRun, startRunJobKind } from '../app/runs/scheduled-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { invalid } from '../core/errors.ts'
import { isDryRun } from '../core/jobs/dry-run.ts'
import { payloadOf } from './cron-schedules.ts'
import { actorOf, findSchedule } from './manage-schedules.ts'
import { enqueue } from './queue.ts'
import { hasDryRun } from './schedulable-kinds.ts'

/** Enqueues a job of the schedule now, beside its times. Also for a paused schedule. A dry run stores nothing but the result of its job. */
export async function runScheduleNow(
  tenant: Tenant,
  id: string,
  { dryRun = false, ...options }: WriteOptions & { readonly dryRun?: boolean | undefined },
) {
  const schedule = await findSchedule(tenant, id)
  const { kind } = schedule
  if (dryRun && !hasDryRun(kind)) throw invalid('dryRun', `must not be true: a job of the kind ${kind} has no dry run`)
  const by = actorOf(tenant, options)
  const payload = requestedPayloads[kind]?.(schedule.payload) ?? payloadOf(schedule, { by })
  // A schedule that stores nothing by itself does not begin to when it is run by hand.
  const isDry = dryRun || (hasDryRun(kind) && isDryRun(schedule.payload))
  return enqueue(tenant, { kind, payload: isDry ? { ...(payload as object | null), dryRun: true } : payload }, options)
}

/** The events of these passes name their trigger, which here is the client and not the schedule. */
const requestedPayloads: Readonly<Record<string, (payload: unknown) => unknown>> = {
  [compactionPassKind]: () => requestedPass,
  [consolidationPassKind]: requestedConsolidation,
}

/** The run that a schedule starts; null for one that starts a job of the host. */
export async function runOfSchedule(tenant: Tenant, id: string): Promise<ScheduledRun | null> {
  const { kind, payload } = await findSchedule(tenant, id)
  return kind === startRunJobKind ? (payload as ScheduledRun) : null
}

import { limits } from '../../core/limits.ts'
import { scheduleDaily } from '../daily-schedule.ts'
import type { Tenant } from '../tenant.ts'
import type { ConsolidationTrigger } from './store-merges.ts'

/** The pass over every ref of a tenant. */
export const consolidationPassKind = 'colophon.consolidation-pass'
/** The pass over one ref that a client requested. */
export const consolidationJobKind = 'colophon.consolidate'

/** The id of the daily schedule in every tenant. */
export const consolidationScheduleId = 'consolidation'

/** The payload of a pass that a client started by running a schedule now. */
export function requestedConsolidation(payload: unknown): unknown {
  const asksModel = questionsOf(payload).questionsMax !== undefined
  return { trigger: 'on-demand', ...(asksModel ? { model: true } : {}) }
}

/** The trigger of a pass, from the payload of its job: without one, it is a schedule of a client. */
export function consolidationTriggerOf(payload: unknown): ConsolidationTrigger {
  const { trigger } = (payload ?? {}) as { trigger?: unknown }
  return trigger === 'host-managed' || trigger === 'on-demand' ? trigger : 'scheduled'
}

/** How many questions the payload of a pass allows: none, unless it says that a model is asked. */
export function questionsOf(payload: unknown): { readonly questionsMax?: number } {
  const { model } = (payload ?? {}) as { model?: unknown }
  return model === true ? { questionsMax: limits.consolidationQuestionsMax } : {}
}

/** Creates the tenant's schedule if it has none: every day at 04:20 UTC, after the compaction. */
export async function scheduleConsolidation(tenant: Tenant): Promise<void> {
  const payload = { trigger: 'host-managed' }
  const at = { hour: 4, minute: 20 }
  await scheduleDaily(tenant, { scheduleId: consolidationScheduleId, kind: consolidationPassKind, payload, ...at })
}

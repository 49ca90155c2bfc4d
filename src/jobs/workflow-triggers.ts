import type { WriteOptions } from '../app/commit.ts'
import { putWorkflow, type RegisteredWorkflow } from '../app/runs/workflow-registry.ts'
import type { Tenant } from '../app/tenant.ts'
import { canonicalJson } from '../core/canonical.ts'
import { checkKnownKeys } from '../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../core/errors.ts'
import { type MissedPolicy, missedPolicies } from '../core/jobs/schedule.ts'
import { defaultTimezone } from '../core/jobs/timing.ts'
import type { WorkflowDefinition, WorkflowTrigger } from '../core/workflow/definition.ts'
import {
  checkDueTimes,
  type HostScheduleDraft,
  listSchedules,
  removeSchedule,
  type ScheduleView,
  saveSchedule,
} from './manage-schedules.ts'

const prefix = 'trigger_'
const calendarRefused =
  'is not supported: this host has no calendars. Use cron with a timezone, or one trigger with at for each date'
const configKeys = ['cron', 'timezone', 'at', 'delayMs', 'inputs', 'missed'] as const

/** Registers a workflow, and makes its triggers of the type `schedule` schedules of the tenant. */
export async function registerWorkflow(
  tenant: Tenant,
  document: unknown,
  options: WriteOptions,
): Promise<RegisteredWorkflow> {
  let triggers: readonly TriggerSchedule[] = []
  const stored = await putWorkflow(tenant, document, options, async (definition) => {
    triggers = await schedulesOf(tenant, definition)
  })
  await replaceTriggers(tenant, stored, triggers, options)
  return stored
}

/** Whether a document has a trigger that starts runs by the clock. The document is not checked yet. */
export function startsRuns({ triggers }: { readonly triggers?: unknown }): boolean {
  if (!Array.isArray(triggers)) return false
  return triggers.some((trigger) => trigger?.type === 'schedule' && trigger.enabled !== false)
}

type TriggerSchedule = Omit<HostScheduleDraft, 'workflowId'>

async function schedulesOf(tenant: Tenant, definition: WorkflowDefinition): Promise<TriggerSchedule[]> {
  const { digest } = await tenant.context()
  return definition.triggers.flatMap((trigger, index) => {
    if (trigger.type !== 'schedule' || trigger.enabled === false) return []
    const id = `${prefix}${digest(`trigger.${definition.id}\n${trigger.id}`).slice(0, 22)}`
    const draft = { id, ...configOf(trigger, `triggers[${index}].config`) }
    checkTrigger(draft, `triggers[${index}].config`, tenant.now())
    return [draft]
  })
}

function configOf({ config = {} }: WorkflowTrigger, field: string): Omit<TriggerSchedule, 'id'> {
  // As `scheduling.calendar` of the discovery document says.
  if ('calendar' in config) throw invalid(`${field}.calendar`, calendarRefused)
  checkKnownKeys(field, config, configKeys)
  const { cron, timezone, at, delayMs, inputs, missed } = config
  for (const [name, value] of Object.entries({ cron, timezone, at }))
    if (value !== undefined && typeof value !== 'string') throw invalid(`${field}.${name}`, 'must be a text')
  if (delayMs !== undefined && typeof delayMs !== 'number') throw invalid(`${field}.delayMs`, 'must be a number')
  if (inputs !== undefined && (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)))
    throw invalid(`${field}.inputs`, 'must be an object')
  if (missed !== undefined && !missedPolicies.includes(missed as MissedPolicy))
    throw invalid(`${field}.missed`, `must be one of ${missedPolicies.join(', ')}`)
  return { cron, timezone, at, delayMs, inputs, missed } as Omit<TriggerSchedule, 'id'>
}

/** The same checks as for a schedule of a client; the error names the trigger. */
function checkTrigger(draft: TriggerSchedule, field: string, now: number): void {
  try {
    checkDueTimes(draft, now)
  } catch (error) {
    if (!isColophonError(error)) throw error
    const named = typeof error.details.field === 'string' ? `${field}.${error.details.field}` : field
    throw new ColophonError(error.code, error.message, { details: { ...error.details, field: named } })
  }
}

/** An unchanged workflow keeps its schedules as they are: a delay does not start again, and a paused one stays paused. */
async function replaceTriggers(
  tenant: Tenant,
  { id: workflowId, isNew, repeated }: RegisteredWorkflow,
  triggers: readonly TriggerSchedule[],
  { actor }: WriteOptions,
): Promise<void> {
  // The answer to an earlier call: the workflow may have another version by now.
  if (repeated) return
  const options = actor === undefined ? {} : { actor }
  const own = (await listSchedules(tenant)).filter(
    ({ id, payload }) =>
      id.startsWith(prefix) && (payload as { workflowId?: unknown } | null)?.workflowId === workflowId,
  )
  for (const { id } of own)
    if (!triggers.some((trigger) => trigger.id === id)) await removeSchedule(tenant, id, options)
  for (const trigger of triggers)
    if (isNew || !own.some((view) => isCurrent(view, trigger, workflowId)))
      await saveSchedule(tenant, { ...trigger, workflowId }, options)
}

/** Whether the schedule of a trigger is what the trigger says. A delay counts from its first registration. */
function isCurrent(view: ScheduleView, trigger: TriggerSchedule, workflowId: string): boolean {
  const { cron, timezone = defaultTimezone, at, delayMs, inputs } = trigger
  if (view.id !== trigger.id) return false
  const isSameWork = canonicalJson(view.payload) === canonicalJson({ workflowId, ...(inputs && { inputs }) })
  if (delayMs !== undefined) return isSameWork && view.at !== undefined
  if (at !== undefined) return isSameWork && view.at !== undefined && Date.parse(view.at) === Date.parse(at)
  return isSameWork && view.cron === cron?.trim() && (view.timezone ?? defaultTimezone) === timezone
}

import { scopesOfNamedRef } from '../../../app/runs/agent-workflow.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope, checkScopes } from '../../../http/route-context.ts'
import {
  listSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  saveSchedule,
} from '../../../jobs/manage-schedules.ts'
import { runOfSchedule, runScheduleNow } from '../../../jobs/run-schedule.ts'
import { Deleted, JobStarted } from '../../schema-parts.ts'
import { Schedule, ScheduleDraft, ScheduleList, ScheduleRun } from '../schemas/schedules.ts'

const base = '/v1/host/colophon/schedules'
const common = { tag: 'jobs' } as const

/** Recurring jobs of the key's tenant. */
export const scheduleRoutes = [
  route('listSchedules', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List schedules',
    description: 'Every schedule of the tenant and when it is due next, those of the host included.',
    responses: { 200: ScheduleList },
    handler: async ({ tenant }) => ({ schedules: await listSchedules(tenant) }),
  }),
  route('putSchedule', `POST ${base}`, 'memory:admin', {
    ...common,
    summary: 'Put a schedule',
    description:
      'Creates a schedule, or replaces the one with this id. It is active afterwards. With `workflowId` it needs `runs:create` too.',
    body: ScheduleDraft,
    responses: { 201: Schedule },
    async handler({ tenant, request, body, write }) {
      const { workflowId, inputs } = body
      if (workflowId !== undefined) checkScope(request, 'runs:create')
      checkScopes(request, await scopesOfNamedRef(tenant, { workflowId, inputs }))
      const { view, repeated } = await saveSchedule(tenant, body, write)
      return respond(view, { repeated })
    },
  }),
  route('pauseSchedule', `POST ${base}/{id}:pause`, 'memory:admin', {
    ...common,
    summary: 'Pause a schedule',
    description: 'It starts no jobs until it is resumed. Schedules of the host can be paused too.',
    responses: { 200: Schedule },
    async handler({ tenant, params, write }) {
      const { view, repeated } = await pauseSchedule(tenant, params.id, write)
      return respond(view, { repeated })
    },
  }),
  route('resumeSchedule', `POST ${base}/{id}:resume`, 'memory:admin', {
    ...common,
    summary: 'Resume a schedule',
    description: 'Continues with the next due time. Due times that passed during the pause are skipped.',
    responses: { 200: Schedule },
    async handler({ tenant, params, write }) {
      const { view, repeated } = await resumeSchedule(tenant, params.id, write)
      return respond(view, { repeated })
    },
  }),
  route('runSchedule', `POST ${base}/{id}:run`, 'memory:admin', {
    ...common,
    summary: 'Run a schedule now',
    description:
      'Starts its job at once, also when it is paused. Its due times stay. If it starts a run, this needs `runs:create` too. With `dryRun` the job stores nothing, and its result says in words what it would do.',
    body: ScheduleRun,
    responses: { 202: JobStarted },
    async handler({ tenant, request, params, body, write }) {
      const run = await runOfSchedule(tenant, params.id)
      if (run !== null) {
        // The run acts for this key, not for the one that stored the schedule.
        checkScope(request, 'runs:create')
        checkScopes(request, await scopesOfNamedRef(tenant, run))
      }
      const { jobId, repeated } = await runScheduleNow(tenant, params.id, { ...write, ...body })
      return respond({ jobId }, { repeated })
    },
  }),
  route('deleteSchedule', `DELETE ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Delete a schedule',
    description: 'Jobs that it started continue. Schedules of the host cannot be deleted.',
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeSchedule(tenant, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
]

import { answer, route } from '../../../http/route.ts'
import {
  listSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runScheduleNow,
  saveSchedule,
} from '../../../jobs/manage-schedules.ts'
import { Deleted, JobStarted } from '../../schema-parts.ts'
import { Schedule, ScheduleDraft, ScheduleList } from '../schemas/schedules.ts'

const base = '/v1/host/colophon/schedules'
const common = { access: 'memory:admin', tag: 'jobs' } as const

/** Work of the key's tenant that is started again and again. */
export const scheduleRoutes = [
  route({
    ...common,
    method: 'GET',
    path: base,
    operationId: 'listSchedules',
    summary: 'List schedules',
    description: 'Every schedule of the tenant and when it is due next, those of the host included.',
    answers: { 200: ScheduleList },
    handler: async ({ tenant }) => ({ schedules: await listSchedules(tenant) }),
  }),
  route({
    ...common,
    method: 'POST',
    path: base,
    operationId: 'putSchedule',
    summary: 'Put a schedule',
    description: 'Creates a schedule, or replaces the one with this id. It is active afterwards.',
    body: ScheduleDraft,
    answers: { 201: Schedule },
    async handler({ tenant, body, write }) {
      const { view, repeated } = await saveSchedule(tenant, body, write)
      return answer(view, { repeated })
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: `${base}/{id}:pause`,
    operationId: 'pauseSchedule',
    summary: 'Pause a schedule',
    description: 'It starts no jobs until it is resumed. Schedules of the host can be paused too.',
    answers: { 200: Schedule },
    async handler({ tenant, params, write }) {
      const { view, repeated } = await pauseSchedule(tenant, params.id, write)
      return answer(view, { repeated })
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: `${base}/{id}:resume`,
    operationId: 'resumeSchedule',
    summary: 'Resume a schedule',
    description: 'Continues with the next due time. Due times that passed in the pause are skipped.',
    answers: { 200: Schedule },
    async handler({ tenant, params, write }) {
      const { view, repeated } = await resumeSchedule(tenant, params.id, write)
      return answer(view, { repeated })
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: `${base}/{id}:run`,
    operationId: 'runSchedule',
    summary: 'Run a schedule now',
    description: 'Starts its job at once, also when it is paused. Its due times stay.',
    answers: { 202: JobStarted },
    async handler({ tenant, params, write }) {
      const { jobId, repeated } = await runScheduleNow(tenant, params.id, write)
      return answer({ jobId }, { repeated })
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${base}/{id}`,
    operationId: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Jobs that it started go on. Schedules of the host cannot be deleted.',
    answers: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeSchedule(tenant, params.id, write)
      return answer({ deleted }, { repeated })
    },
  }),
]

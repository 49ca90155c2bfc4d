import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import {
  listSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runScheduleNow,
  saveSchedule,
} from '../../../jobs/manage-schedules.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { Deleted, JobStarted } from '../../schema-parts.ts'
import { Schedule, ScheduleDraft, ScheduleList } from '../schemas/schedules.ts'

const path = '/v1/host/colophon/schedules'
const forAdmins = { access: 'memory:admin' } as const

/** Work of the key's tenant that comes back by itself. */
export function scheduleRoutes(app: App, { engine, wakeWorkers }: RouteParts): void {
  app.get(
    path,
    { config: forAdmins, schema: { tags: ['jobs'], querystring: NoQuery, response: { 200: ScheduleList } } },
    async (request) => ({ schedules: await listSchedules(engine.tenant(principalOf(request).tenantId)) }),
  )
  app.post(
    path,
    {
      config: forAdmins,
      schema: {
        tags: ['jobs'],
        querystring: NoQuery,
        body: ScheduleDraft,
        response: { 201: Schedule },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { view, repeated } = await saveSchedule(engine.tenant(tenantId), request.body, writeOptions(request))
      markReplay(request, reply, repeated)
      return reply.code(201).send(view)
    },
  )
  const params = { tags: ['jobs'], params: IdParams, querystring: NoQuery }
  for (const [verb, change] of [
    ['pause', pauseSchedule],
    ['resume', resumeSchedule],
  ] as const) {
    app.post(
      `${path}/:id(^[^:]+$)::${verb}`,
      { config: forAdmins, schema: { ...params, response: { 200: Schedule } } },
      async (request, reply) => {
        const { tenantId } = principalOf(request)
        const { view, repeated } = await change(engine.tenant(tenantId), request.params.id, writeOptions(request))
        markReplay(request, reply, repeated)
        return view
      },
    )
  }
  app.post(
    `${path}/:id(^[^:]+$)::run`,
    { config: forAdmins, schema: { ...params, response: { 202: JobStarted } } },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { jobId, repeated } = await runScheduleNow(
        engine.tenant(tenantId),
        request.params.id,
        writeOptions(request),
      )
      wakeWorkers()
      markReplay(request, reply, repeated)
      return reply.code(202).send({ jobId })
    },
  )
  app.delete(
    `${path}/:id`,
    { config: forAdmins, schema: { ...params, response: { 200: Deleted } } },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeSchedule(
        engine.tenant(tenantId),
        request.params.id,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )
}

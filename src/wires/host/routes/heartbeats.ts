import type { FastifyRequest } from 'fastify'
import { visibleHeartbeat } from '../../../app/heartbeats/heartbeat-record.ts'
import { listHeartbeats } from '../../../app/heartbeats/heartbeat-view.ts'
import {
  createHeartbeat,
  editHeartbeat,
  pauseHeartbeat,
  removeHeartbeat,
  resumeHeartbeat,
} from '../../../app/heartbeats/manage-heartbeats.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { Deleted } from '../../schema-parts.ts'
import { Heartbeat, HeartbeatChange, HeartbeatDraft, HeartbeatList } from '../schemas/heartbeats.ts'

const base = '/v1/host/colophon/heartbeats'
const tag = 'heartbeats'

/** Heartbeats: what is observed at an interval. */
export const heartbeatRoutes = [
  route('listHeartbeats', `GET ${base}`, 'memory:read', {
    summary: 'List heartbeats',
    description: 'Every heartbeat that the key may see, with its last state and its next tick.',
    tag,
    responses: { 200: HeartbeatList },
    handler: async ({ tenant }) => ({ heartbeats: await listHeartbeats(tenant) }),
  }),
  route('createHeartbeat', `POST ${base}`, 'memory:write', {
    summary: 'Register a heartbeat',
    description:
      'It observes what the key may see, at once and then at its interval. After a change it starts one run, if it names a workflow. Needs `memory:read` too.',
    tag,
    body: HeartbeatDraft,
    responses: { 201: Heartbeat },
    async handler({ tenant, request, body, write }) {
      checkScope(request, 'memory:read')
      if (body.predicate === 'backlog') checkScope(request, 'memory:admin')
      if (body.workflowId !== undefined) checkScope(request, 'runs:create')
      const { view, repeated } = await createHeartbeat(tenant, body, write)
      return respond(view, { repeated })
    },
  }),
  route('changeHeartbeat', `PATCH ${base}/{id}`, 'memory:write', {
    summary: 'Change a heartbeat',
    description:
      'Changes its interval or its workflow; from now on it observes and acts for this key. Unless it is paused, its next tick is at once. Needs `memory:read` too.',
    tag,
    body: HeartbeatChange,
    responses: { 200: Heartbeat },
    async handler({ tenant, request, params, body, write }) {
      checkScope(request, 'memory:read')
      await checkTakeOver(tenant, request, params.id, typeof body.workflowId === 'string')
      const { view, repeated } = await editHeartbeat(tenant, params.id, body, write)
      return respond(view, { repeated })
    },
  }),
  route('pauseHeartbeat', `POST ${base}/{id}:pause`, 'memory:write', {
    summary: 'Pause a heartbeat',
    description: 'It is not evaluated until it is resumed. A run that it started goes on. Needs `memory:read` too.',
    tag,
    responses: { 200: Heartbeat },
    async handler({ tenant, request, params, write }) {
      checkScope(request, 'memory:read')
      const { view, repeated } = await pauseHeartbeat(tenant, params.id, write)
      return respond(view, { repeated })
    },
  }),
  route('resumeHeartbeat', `POST ${base}/{id}:resume`, 'memory:write', {
    summary: 'Resume a heartbeat',
    description:
      'The next tick is at once. What changed since the last tick before the pause is one change. Needs `memory:read` too.',
    tag,
    responses: { 200: Heartbeat },
    async handler({ tenant, request, params, write }) {
      checkScope(request, 'memory:read')
      const { view, repeated } = await resumeHeartbeat(tenant, params.id, write)
      return respond(view, { repeated })
    },
  }),
  route('deleteHeartbeat', `DELETE ${base}/{id}`, 'memory:write', {
    summary: 'Delete a heartbeat',
    description: 'It is not evaluated any more. A run that it started goes on.',
    tag,
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeHeartbeat(tenant, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
]

/** From now on it acts with the rights of this key, which must have them: for jobs, and for the run that it keeps or gets. */
async function checkTakeOver(tenant: Tenant, request: FastifyRequest, id: string, getsWorkflow: boolean) {
  const { heartbeat } = await visibleHeartbeat(tenant, id)
  if (heartbeat.predicate.kind === 'backlog') checkScope(request, 'memory:admin')
  if (getsWorkflow || heartbeat.workflowId !== null) checkScope(request, 'runs:create')
}

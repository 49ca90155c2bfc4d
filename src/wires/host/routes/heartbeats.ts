import { createHeartbeat, listHeartbeats, removeHeartbeat } from '../../../app/heartbeats/manage-heartbeats.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { Deleted } from '../../schema-parts.ts'
import { Heartbeat, HeartbeatDraft, HeartbeatList } from '../schemas/heartbeats.ts'

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

import { z } from 'zod'
import { changeRun } from '../app/runs/control.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'
import { agentSeams } from './agent-routes.ts'
import { commitmentSeams } from './commitment-routes.ts'
import { compactionSeams } from './compaction-routes.ts'
import { consolidationSeams } from './consolidation-routes.ts'
import { distillationSeams } from './distillation-routes.ts'
import { heartbeatSeams } from './heartbeat-routes.ts'
import { modelSeams } from './model-routes.ts'
import { schedulingSeams } from './scheduling-routes.ts'
import { workspaceSeams } from './workspace-routes.ts'

/** Routes that exist for conformance tests only. */
export function seamRoutes(app: App, parts: RouteParts): void {
  compactionSeams(app, parts)
  distillationSeams(app, parts)
  consolidationSeams(app, parts)
  commitmentSeams(app, parts)
  workspaceSeams(app, parts)
  schedulingSeams(app, parts)
  agentSeams(app, parts)
  heartbeatSeams(app, parts)
  modelSeams(app)
  const { engine } = parts
  // Makes the run look as if history retention had deleted what it read.
  app.post(
    '/v1/test/runs/:runId/expire',
    { config: { access: 'memory:admin' }, schema: { hide: true, params: z.strictObject({ runId: z.string() }) } },
    async (request, reply) => {
      const { tenantId, actor } = principalOf(request)
      const { runId } = request.params
      await changeRun(engine.tenant(tenantId), runId, { operation: 'seam.expire' }, { actor }, async (progress) => {
        progress.set({ facts: { expired: true } })
        return { wakes: [] }
      })
      return reply.code(204).send(null)
    },
  )
}

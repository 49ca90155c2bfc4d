import { listWorkflows, putWorkflow } from '../../../app/workflows.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { WorkflowDocument } from '../../openwop-v1/schemas/workflows.ts'
import { NoQuery } from '../../params.ts'
import { PageQuery } from '../../schema-parts.ts'
import { WorkflowPage, WorkflowStored } from '../schemas/workflows.ts'

const tags = ['workflows']
const host = '/v1/host/colophon/workflows'

/** Workflows: registered by the tenant, read by whoever may run them. */
export function workflowRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    host,
    {
      config: { access: 'manifest:read' },
      schema: { tags, querystring: PageQuery, response: { 200: WorkflowPage } },
    },
    async (request) => {
      const { limit = 0, cursor = null } = request.query
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const found = await listWorkflows(engine.tenant(principalOf(request).tenantId), {
        after: cursor,
        limit: size + 1,
      })
      const workflows = found.slice(0, size)
      const last = workflows.at(-1)
      return { workflows, ...(found.length > size && last ? { cursor: last.id } : {}) }
    },
  )

  app.post(
    host,
    {
      config: { access: 'memory:admin' },
      schema: {
        tags,
        querystring: NoQuery,
        body: WorkflowDocument,
        response: { 200: WorkflowStored, 201: WorkflowStored },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { id, version, isNew, repeated } = await putWorkflow(
        engine.tenant(tenantId),
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return reply.code(isNew ? 201 : 200).send({ id, version })
    },
  )
}

import { toInstant } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import type { RunSummary } from '../../../core/run/run.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { RunListQuery, RunPage } from '../schemas/runs.ts'

const tags = ['runs']

/** The runs of the key's tenant, newest first. */
export function runRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    '/v1/host/colophon/runs',
    {
      config: { access: 'runs:read' },
      schema: { tags, querystring: RunListQuery, response: { 200: RunPage } },
    },
    async (request) => {
      const { limit = 0, cursor = null, status = null, workflowId = null } = request.query
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const { tenantId } = principalOf(request)
      const found = await engine.storage.runs.list({ tenantId, status, workflowId, after: cursor, limit: size + 1 })
      const runs = found.slice(0, size)
      const last = runs.at(-1)
      return { runs: runs.map(toListItem), ...(found.length > size && last ? { cursor: last.runId } : {}) }
    },
  )
}

function toListItem({ createdAt, endedAt, parentRunId, sourceRunId, ...run }: RunSummary) {
  return {
    ...run,
    createdAt: toInstant(createdAt),
    ...(endedAt === null ? {} : { completedAt: toInstant(endedAt) }),
    ...(parentRunId === null ? {} : { parentRunId }),
    ...(sourceRunId === null ? {} : { sourceRunId }),
  }
}

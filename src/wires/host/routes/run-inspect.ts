import { diffRuns, runReads } from '../../../app/runs/inspect.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { DiffQuery, RunDiff } from '../../openwop-v1/schemas/run-inspect.ts'
import { toRunDiff } from '../../openwop-v1/views/run-inspect.ts'
import { NoQuery, RunParams } from '../../params.ts'
import { RunReads } from '../schemas/runs.ts'

const tags = ['runs']

/** Looking into a run: what it saw, why it went as it did, how it differs from another. */
export function runInspectRoutes(app: App, { engine }: RouteParts): void {
  const forReaders = { access: 'runs:read' } as const

  app.get(
    '/v1/host/colophon/runs/:runId/reads',
    {
      config: forReaders,
      schema: { tags, params: RunParams, querystring: NoQuery, response: { 200: RunReads } },
    },
    async (request) => runReads(engine.tenant(principalOf(request).tenantId), request.params.runId),
  )

  app.get(
    '/v1/host/colophon/runs/:runId(^[^:]+$)::diff',
    {
      config: forReaders,
      schema: { tags, params: RunParams, querystring: DiffQuery, response: { 200: RunDiff } },
    },
    async (request) =>
      toRunDiff(
        await diffRuns(engine.tenant(principalOf(request).tenantId), request.params.runId, request.query.against),
      ),
  )
}

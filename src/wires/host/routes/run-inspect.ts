import { getRun } from '../../../app/runs/control.ts'
import { debugBundle, diffRuns, runReads } from '../../../app/runs/inspect.ts'
import { ColophonError } from '../../../core/errors.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { Artifact, DebugBundle, DebugQuery, DiffQuery, RunDiff } from '../../openwop-v1/schemas/runs.ts'
import { ArtifactParams, NoQuery, RunParams } from '../../params.ts'
import { RunReads } from '../schemas/runs.ts'

const tags = ['runs']

/** Looking into a run: what it saw, why it went as it did, how it differs from another. */
export function runInspectRoutes(app: App, { engine, version }: RouteParts): void {
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
    '/v1/runs/:runId/debug-bundle',
    {
      config: forReaders,
      schema: { tags, params: RunParams, querystring: DebugQuery, response: { 200: DebugBundle } },
    },
    async (request) => {
      const host = { name: 'colophon', version, vendor: 'colophon' }
      const { tenantId } = principalOf(request)
      return debugBundle(engine.tenant(tenantId), request.params.runId, host, request.query.maxEvents)
    },
  )

  for (const path of ['/v1/runs/:runId(^[^:]+$)::diff', '/v1/host/colophon/runs/:runId(^[^:]+$)::diff']) {
    app.get(
      path,
      {
        config: forReaders,
        schema: { tags, params: RunParams, querystring: DiffQuery, response: { 200: RunDiff } },
      },
      async (request) =>
        diffRuns(engine.tenant(principalOf(request).tenantId), request.params.runId, request.query.against),
    )
  }

  // No node of this host makes artifacts, so there is none; who may not even ask is told that first.
  app.get(
    '/v1/runs/:runId/artifacts/:artifactId',
    {
      config: { access: 'artifacts:read' },
      schema: { tags, params: ArtifactParams, querystring: NoQuery, response: { 200: Artifact } },
    },
    async (request) => {
      await getRun(engine.tenant(principalOf(request).tenantId), request.params.runId)
      throw new ColophonError('not_found', 'There is no such artifact.')
    },
  )
}

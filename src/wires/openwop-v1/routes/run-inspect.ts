import { getRun } from '../../../app/runs/control.ts'
import { diffRuns } from '../../../app/runs/inspect-runs.ts'
import { allEvents } from '../../../app/runs/recorded-run.ts'
import { ColophonError } from '../../../core/errors.ts'
import { route } from '../../../http/route.ts'
import { Artifact, DebugBundle, DebugQuery, DiffQuery, RunDiff } from '../schemas/run-inspect.ts'
import { toDebugBundle, toRunDiff } from '../views/run-inspect.ts'

const tag = 'runs'

/** Debug bundles, differences and artifacts of runs. */
export const runInspectRoutes = [
  route('getDebugBundle', 'GET /v1/runs/{runId}/debug-bundle', 'runs:read', {
    summary: 'Get a debug bundle',
    description: 'State and log of a run in one document, to attach to a bug report. Secrets are redacted.',
    tag,
    query: DebugQuery,
    responses: { 200: DebugBundle },
    async handler({ tenant, params, query, parts: { version } }) {
      const run = await getRun(tenant, params.runId)
      const events = await allEvents(tenant, params.runId)
      return toDebugBundle({ run, events, now: tenant.now(), version, maxEvents: query.maxEvents })
    },
  }),
  route('diffRuns', 'GET /v1/runs/{runId}:diff', 'runs:read', {
    summary: 'Compare two runs',
    description:
      'Compares the logs of two runs, such as a run and its fork, event by event. Ids and instants are not compared.',
    tag,
    query: DiffQuery,
    responses: { 200: RunDiff },
    handler: async ({ tenant, params, query }) => toRunDiff(await diffRuns(tenant, params.runId, query.against)),
  }),
  route('getArtifact', 'GET /v1/runs/{runId}/artifacts/{artifactId}', 'artifacts:read', {
    summary: 'Get an artifact of a run',
    description: 'Always 404 for a run that exists: no node type of this host makes artifacts.',
    tag,
    responses: { 200: Artifact },
    async handler({ tenant, params }) {
      await getRun(tenant, params.runId)
      throw new ColophonError('not_found', 'There is no such artifact.')
    },
  }),
]

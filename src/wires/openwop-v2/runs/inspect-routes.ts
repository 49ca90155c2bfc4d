import { getRun } from '../../../app/runs/control.ts'
import { diffRuns } from '../../../app/runs/inspect-runs.ts'
import { ColophonError } from '../../../core/errors.ts'
import type { RunEvent } from '../../../core/run/run.ts'
import { route } from '../../../http/route.ts'
import { Artifact } from '../../openwop-v1/schemas/run-inspect.ts'
import { toEventDocument } from '../events/event-document.ts'
import { bindId, openId, openPathId } from '../ids.ts'
import { DiffQuery, RunDiff } from '../schemas/events.ts'

const tag = 'runs'

/** Differences and artifacts of runs. */
export const runInspectRoutes = [
  route('diffRun', 'GET /runs/{runId}:diff', 'runs:read', {
    summary: 'Compare two runs',
    description:
      'Compares the logs of two runs, such as a run and its fork, event by event. Ids and instants are not compared.',
    tag,
    query: DiffQuery,
    responses: { 200: RunDiff },
    async handler({ tenant, params, query }) {
      const runA = openPathId('runId', tenant.id, params.runId)
      const { a, b, divergedAt, differences, isTruncated } = await diffRuns(
        tenant,
        runA,
        openId('against', tenant.id, query.against),
      )
      const shown = (runId: string, event: RunEvent) => toEventDocument(tenant.id, runId, event)
      return {
        a: bindId(tenant.id, a.runId),
        b: bindId(tenant.id, b.runId),
        divergedAtSeq: divergedAt,
        eventDiffs: differences.map(({ sequence, aEvent, bEvent }) => ({
          seq: sequence,
          op:
            aEvent === undefined
              ? ('added' as const)
              : bEvent === undefined
                ? ('removed' as const)
                : ('changed' as const),
          ...(aEvent ? { aEvent: shown(a.runId, aEvent) } : {}),
          ...(bEvent ? { bEvent: shown(b.runId, bEvent) } : {}),
        })),
        stateDiff: a.status === b.status ? {} : { status: { a: a.status, b: b.status } },
        ...(isTruncated ? { truncated: true as const } : {}),
      }
    },
  }),
  route('getArtifact', 'GET /runs/{runId}/artifacts/{artifactId}', 'artifacts:read', {
    summary: 'Get an artifact of a run',
    description: 'Always 404 for a run that exists: no node type of this host makes artifacts.',
    tag,
    responses: { 200: Artifact },
    async handler({ tenant, params }) {
      await getRun(tenant, openPathId('runId', tenant.id, params.runId))
      throw new ColophonError('not_found', 'There is no such artifact.')
    },
  }),
]

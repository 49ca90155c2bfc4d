import { dryRunConsolidation, requestConsolidation } from '../../../app/consolidation/request-consolidation.ts'
import { respond, route } from '../../../http/route.ts'
import { ConsolidationDryRun, ConsolidationRequest, ConsolidationStarted } from '../schemas/consolidations.ts'

/** Consolidation: entries that say the same become one. What became one is listed and undone as a compaction. */
export const consolidationRoutes = [
  route('startConsolidation', 'POST /v1/host/colophon/consolidations', 'memory:admin', {
    summary: 'Consolidate a ref',
    description:
      'Starts a job that merges entries of a ref that say the same (202). With `dryRun` it reports what would happen (200). Each merge is then a compaction with a `reason`, and can be undone as one.',
    tag: 'compactions',
    body: ConsolidationRequest,
    responses: { 200: ConsolidationDryRun, 202: ConsolidationStarted },
    async handler({ tenant, body: { dryRun, ...draft }, write, parts }) {
      if (dryRun === true) return dryRunConsolidation(tenant, draft, parts.stopping)
      const { jobId, runId, repeated } = await requestConsolidation(tenant, draft, write)
      return respond({ jobId, runId }, { status: 202, repeated })
    },
  }),
]

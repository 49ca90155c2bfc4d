import { getCompaction, listCompactions, withSources } from '../../../app/compaction/compaction-view.ts'
import { dryRunCompaction, requestCompaction } from '../../../app/compaction/request-compaction.ts'
import { undoCompaction } from '../../../app/compaction/undo-compaction.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import {
  Compaction,
  CompactionDryRun,
  CompactionPage,
  CompactionQuery,
  CompactionRequest,
  CompactionStarted,
} from '../schemas/compactions.ts'

const base = '/v1/host/colophon/compactions'
const tag = 'compactions'

/** Compactions: jobs that summarise many entries into one. */
export const compactionRoutes = [
  route('startCompaction', `POST ${base}`, 'memory:admin', {
    summary: 'Compact a ref',
    description:
      'Starts a job that summarises old entries of a ref (202). With `dryRun` it reports what would happen (200).',
    tag,
    body: CompactionRequest,
    responses: { 200: CompactionDryRun, 202: CompactionStarted },
    async handler({ tenant, body: { dryRun, ...draft }, write, parts }) {
      if (dryRun === true) return dryRunCompaction(tenant, draft, parts.stopping)
      const { id, jobId, repeated } = await requestCompaction(tenant, draft, write)
      return respond({ id, jobId }, { status: 202, repeated })
    },
  }),
  route('listCompactions', `GET ${base}`, 'memory:read', {
    summary: 'List compactions',
    description: 'Compactions of the daily pass and on request, newest first.',
    tag,
    query: CompactionQuery,
    responses: { 200: CompactionPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'id', (range) =>
        listCompactions(tenant, { memoryRef: query.memoryRef ?? null, ...range }),
      )
      return { compactions: items, ...next }
    },
  }),
  route('getCompaction', `GET ${base}/{id}`, 'memory:read', {
    summary: 'Get a compaction',
    description: 'The state of one compaction, with all its sources. It is `pending` until its job has ended.',
    tag,
    responses: { 200: Compaction },
    handler: async ({ tenant, params }) => getCompaction(tenant, params.id),
  }),
  route('undoCompaction', `POST ${base}/{id}:undo`, 'memory:admin', {
    summary: 'Undo a compaction',
    description: 'Restores the sources and ends the summary, in one commit. Refused if one of them has changed.',
    tag,
    responses: { 200: Compaction },
    async handler({ tenant, params, write }) {
      const { compaction, repeated } = await undoCompaction(tenant, params.id, write)
      return respond(await withSources(tenant, compaction), { repeated })
    },
  }),
]

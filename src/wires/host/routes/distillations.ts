import { undoCompaction } from '../../../app/compaction/undo-compaction.ts'
import {
  findDistillation,
  getDistillation,
  listDistillations,
  noSuchDistillation,
} from '../../../app/distillation/distillation-view.ts'
import { previewDistillation, requestDistillation } from '../../../app/distillation/request-distillation.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import {
  Distillation,
  DistillationDryRun,
  DistillationPage,
  DistillationQuery,
  DistillationRequest,
  DistillationStarted,
} from '../schemas/distillations.ts'

const base = '/v1/host/colophon/distillations'
const tag = 'distillations'

/** Distillations: jobs that make one archive of all entries of a ref, within a token budget. */
export const distillationRoutes = [
  route('startDistillation', `POST ${base}`, 'memory:admin', {
    summary: 'Distill a ref',
    description:
      'Starts a job that makes an archive of a ref (202). With `dryRun` it reports the smallest budget (200). A budget that is too small is refused with `token_budget_exceeded`.',
    tag,
    body: DistillationRequest,
    responses: { 200: DistillationDryRun, 202: DistillationStarted },
    async handler({ tenant, body: { dryRun, ...draft }, write, parts }) {
      if (dryRun === true) return previewDistillation(tenant, draft, parts.stopping)
      const { id, jobId, repeated } = await requestDistillation(tenant, draft, parts.stopping, write)
      return respond({ id, jobId }, { status: 202, repeated })
    },
  }),
  route('listDistillations', `GET ${base}`, 'memory:read', {
    summary: 'List distillations',
    description: 'Distillations by schedule and on request, newest first.',
    tag,
    query: DistillationQuery,
    responses: { 200: DistillationPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'id', (range) =>
        listDistillations(tenant, { memoryRef: query.memoryRef ?? null, ...range }),
      )
      return { distillations: items, ...next }
    },
  }),
  route('getDistillation', `GET ${base}/{id}`, 'memory:read', {
    summary: 'Get a distillation',
    description: 'The state of one distillation, with all its sources. It is `pending` until its job has ended.',
    tag,
    responses: { 200: Distillation },
    handler: async ({ tenant, params }) => getDistillation(tenant, params.id),
  }),
  route('undoDistillation', `POST ${base}/{id}:undo`, 'memory:admin', {
    summary: 'Undo a distillation',
    description: 'Ends the archive and restores the index, in one commit. The sources never changed.',
    tag,
    responses: { 200: Distillation },
    async handler({ tenant, params, write }) {
      if ((await findDistillation(tenant, params.id)) === null) throw noSuchDistillation()
      const { repeated } = await undoCompaction(tenant, params.id, write)
      return respond(await getDistillation(tenant, params.id), { repeated })
    },
  }),
]

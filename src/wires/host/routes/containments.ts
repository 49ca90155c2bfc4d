import { contain } from '../../../app/containment/contain.ts'
import { listContainments } from '../../../app/containment/containment-record.ts'
import { release } from '../../../app/containment/release.ts'
import { firstPage, getContainment, viewPart } from '../../../app/containment/view-affected.ts'
import { limits } from '../../../core/limits.ts'
import { sealCursor } from '../../../http/cursors.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import {
  AffectedQuery,
  Containment,
  ContainmentDraft,
  ContainmentPage,
  ContainmentPreview,
  ContainmentWithAffected,
} from '../schemas/containments.ts'

const base = '/v1/host/colophon/containments'
const common = { tag: 'containments' } as const

/** Containing what came from a compromised key, writer, source event, run or agent, and releasing it. */
export const containmentRoutes = [
  route('contain', `POST ${base}`, 'memory:admin', {
    ...common,
    summary: 'Contain a compromised source',
    description:
      'Takes everything that came from the source, and what compactions and runs derived from it, out of memory in one commit (201). Claims are decided as if the source had not spoken. Nothing is erased. With `dryRun` it only lists what would be contained (200).',
    body: ContainmentDraft,
    responses: { 200: ContainmentPreview, 201: ContainmentWithAffected },
    async handler({ tenant, body, write }) {
      const result = await contain(tenant, body, write)
      const { isMore, ...part } = firstPage(result.part)
      const affected = await viewPart(tenant, part)
      if (result.dryRun) {
        const { counts } = result
        return { dryRun: true as const, counts, ...affected, ...(isMore ? { truncated: true as const } : {}) }
      }
      const place = { operation: `GET ${base}/{id}`, tenantId: tenant.id, params: { id: result.containment.id } }
      const next = isMore ? { cursor: sealCursor(place, '1') } : {}
      return respond({ ...result.containment, ...affected, ...next }, { status: 201, repeated: result.repeated })
    },
  }),
  route('listContainments', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List containments',
    description: 'Containments with their counts, oldest first, also released ones.',
    query: PageQuery,
    responses: { 200: ContainmentPage },
    async handler({ tenant, query }) {
      const read = (range: Parameters<typeof listContainments>[1]) => listContainments(tenant, range)
      const { items, next } = await page(query, 'id', read, limits.containmentsPageMax)
      return { containments: items, ...next }
    },
  }),
  route('getContainment', `GET ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Get a containment',
    description: 'One containment, and what it affects page by page.',
    query: AffectedQuery,
    responses: { 200: ContainmentWithAffected },
    async handler({ tenant, params, query }) {
      const index = Number(query.cursor ?? 0)
      const { containment, affected, isMore } = await getContainment(tenant, params.id, index)
      return { ...containment, ...affected, ...(isMore ? { cursor: String(index + 1) } : {}) }
    },
  }),
  route('releaseContainment', `POST ${base}/{id}:release`, 'memory:admin', {
    ...common,
    summary: 'Release a containment',
    description:
      'Undoes a containment in one commit: memory is as if nothing had been contained, with everything that was written since. What another containment covers stays contained.',
    responses: { 200: Containment },
    async handler({ tenant, params, write }) {
      const { containment, repeated } = await release(tenant, params.id, write)
      return respond(containment, { status: 200, repeated })
    },
  }),
]

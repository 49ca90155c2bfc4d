import { getSource, listSources, verifySource } from '../../../app/provenance/sources.ts'
import { route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { toSnake } from '../names.ts'
import { SourceEvent, SourceEventPage, SourceEventQuery, Verified, VerifyDraft } from '../schemas/sources.ts'
import { toSourceSummary, toSourceView } from '../views/source.ts'

const tag = 'sources'
const base = '/v1/tenant/source-events'
const access = 'audit:read'

/** Source events. */
export const sourceRoutes = [
  route('listSourceEvents', `GET ${base}`, access, {
    summary: 'List source events',
    description: 'Newest first, optionally of one service or about one person.',
    tag,
    query: SourceEventQuery,
    answers: { 200: SourceEventPage },
    async handler({ tenant, query }) {
      const { external_user_id: subject = null, source_service: service = null } = query
      const { items, next } = await page(query, 'sourceEventId', (range) =>
        listSources(tenant, { subject, service, ...range }),
      )
      return { data: items.map(toSourceSummary), ...next }
    },
  }),
  route('getSourceEvent', `GET ${base}/{id}`, access, {
    summary: 'Get a source event',
    description: 'The event with its messages, as far as they are kept, and the memories that it stated.',
    tag,
    answers: { 200: SourceEvent },
    handler: async ({ tenant, params }) => toSourceView(await getSource(tenant, params.id)),
  }),
  route('verifySourceEvent', `POST ${base}/{id}:verify`, access, {
    summary: 'Verify a source event',
    description:
      'Compares messages with the payload hash of the event. Works also when its messages are no longer kept.',
    tag,
    isRead: true,
    body: VerifyDraft,
    answers: { 200: Verified },
    handler: async ({ tenant, params, body }) => toSnake(await verifySource(tenant, params.id, body.messages ?? null)),
  }),
]

import { getSourceEvent, listSourceEvents, verifySourceEvent } from '../../../app/provenance/source-events.ts'
import { route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import {
  SourceEvent,
  SourceEventPage,
  SourceEventQuery,
  SourceNameQuery,
  Verified,
  VerifyDraft,
} from '../schemas/source-events.ts'
import { toSnake } from '../snake-case.ts'
import { toSourceSummary, toSourceView } from '../views/source-events.ts'

const tag = 'sources'
const base = '/v1/tenant/source-events'
const access = 'audit:read'

/** Source events. */
export const sourceRoutes = [
  route('listSourceEvents', `GET ${base}`, access, {
    summary: 'List source events',
    description: 'Newest first, optionally of one service, about one person, or with one `event_id`.',
    tag,
    query: SourceEventQuery,
    responses: { 200: SourceEventPage },
    async handler({ tenant, query }) {
      const { external_user_id: subject = null, source_service: service = null, event_id: eventId = null } = query
      const { items, next } = await page(query, 'sourceEventId', (range) =>
        listSourceEvents(tenant, { subject, service, eventId, ...range }),
      )
      return { data: items.map(toSourceSummary), ...next }
    },
  }),
  route('getSourceEvent', `GET ${base}/{id}`, access, {
    summary: 'Get a source event',
    description:
      'The event with its messages, as far as they are kept, and the memories that it stated. `id` is that of the host, or the `event_id` of the service: if several services use it, name one with `source_service`, or the response is 409 and names them.',
    tag,
    query: SourceNameQuery,
    responses: { 200: SourceEvent },
    handler: async ({ tenant, params, query }) =>
      toSourceView(await getSourceEvent(tenant, params.id, query.source_service)),
  }),
  route('verifySourceEvent', `POST ${base}/{id}:verify`, access, {
    summary: 'Verify a source event',
    description:
      'Compares messages with the payload hash of the event. Works also when its messages are no longer kept.',
    tag,
    isRead: true,
    query: SourceNameQuery,
    body: VerifyDraft,
    responses: { 200: Verified },
    handler: async ({ tenant, params, query, body }) =>
      toSnake(await verifySourceEvent(tenant, params.id, body.messages ?? null, query.source_service)),
  }),
]

import { deadLettersOf } from '../../../app/webhooks/dead-letters.ts'
import { toInstant } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { toEventId } from '../../openwop-v1/views/run-events.ts'
import { PageQuery } from '../../schema-parts.ts'
import { DeadLetterPage } from '../schemas/webhooks.ts'

/** What version 1 of the protocol has no route for: the console reads it with its session. */
export const webhookRoutes = [
  route('listDeadLetters', 'GET /v1/host/colophon/webhooks/{webhookId}/dead-letters', 'webhooks:manage', {
    summary: 'List dead letters of a webhook',
    description:
      'Deliveries that failed too often, newest first, without content. They are kept for 14 days. Retry the job of one to send it again.',
    tag: 'webhooks',
    query: PageQuery,
    responses: { 200: DeadLetterPage },
    async handler({ tenant, params, query }) {
      const { deliveries, cursor } = await deadLettersOf(tenant, params.webhookId, query)
      return {
        deliveries: deliveries.map(({ jobId, runId, sequence, type, attempts, status, at, expiresAt }) => ({
          deliveryId: jobId,
          runId,
          eventId: toEventId(runId, sequence),
          eventType: type,
          attempts,
          ...(status === null ? {} : { lastStatus: status }),
          deadLetteredAt: toInstant(at),
          expiresAt: toInstant(expiresAt),
        })),
        ...(cursor === null ? {} : { cursor }),
      }
    },
  }),
]

import { z } from 'zod'
import { instant, list, nextCursor } from '../../schema-parts.ts'

export const DeadLetterPage = z
  .strictObject({
    deliveries: list(
      z.strictObject({
        deliveryId: z.string().describe('The id of its job, which can be retried'),
        runId: z.string(),
        eventId: z.string(),
        eventType: z.string(),
        attempts: z.int().min(1),
        lastStatus: z.int().optional().describe('What the receiver answered last; absent if it did not answer'),
        deadLetteredAt: instant,
        expiresAt: instant,
      }),
    ),
    cursor: nextCursor,
  })
  .meta({
    id: 'DeadLetterPage',
    description: 'Deliveries to a webhook that failed too often, newest first, without content.',
    examples: [
      {
        deliveries: [
          {
            deliveryId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d20',
            runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
            eventId: 'evt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11_3',
            eventType: 'run.completed',
            attempts: 8,
            lastStatus: 503,
            deadLetteredAt: '2026-01-31T12:00:00.000Z',
            expiresAt: '2026-02-14T12:00:00.000Z',
          },
        ],
      },
    ],
  })

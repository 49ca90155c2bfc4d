import { z } from 'zod'
import { externalUserId } from '../../provenance/schemas/add.ts'
import {
  asReader,
  count,
  cursor,
  instant,
  list,
  nextCursor,
  position,
  trustClass,
  trustMin,
} from '../../schema-parts.ts'

export const TimelineQuery = z.strictObject({
  subject: externalUserId,
  limit: count.optional().describe('Claims per page'),
  cursor: cursor.optional(),
  reader: asReader,
  trustMin,
})

const Moment = z.strictObject({ position, at: instant })

const TimelineSpan = z
  .strictObject({
    memoryId: z.string(),
    version: z.int(),
    content: z.string().describe('The beginning of the content'),
    isCut: z.boolean(),
    writer: z.string().nullable().describe('The source service; null for an edit or another statement of a key'),
    trust: trustClass,
    observedAt: instant.nullable().describe('When its source observed it'),
    from: Moment,
    to: Moment.nullable().describe('Null while it is current; equal to `from` if it lost at once'),
    endedReason: z.string().nullable(),
  })
  .meta({ id: 'TimelineSpan', description: 'A content while it was current.' })

const TimelineRow = z
  .strictObject({
    id: z.string().describe('The id of the claim'),
    category: z.string(),
    claimKey: z.string().nullable(),
    isContested: z.boolean(),
    isPinned: z.boolean(),
    spans: list(TimelineSpan).describe(
      'Oldest first. Where no span is, nothing was current: deleted, erased or quarantined',
    ),
  })
  .meta({ id: 'TimelineRow', description: 'One claim over time.' })

export const Timeline = z.strictObject({ rows: list(TimelineRow), cursor: nextCursor }).meta({
  id: 'Timeline',
  description: 'What was current about a subject over time, by claim.',
  examples: [
    {
      rows: [
        {
          id: 'clm_5Jq2m8r1b4JwXk5d7fPz9h',
          category: 'fact',
          claimKey: 'home_city',
          isContested: false,
          isPinned: false,
          spans: [
            {
              memoryId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
              version: 1,
              content: 'Ada lives in Lisbon.',
              isCut: false,
              writer: 'crm',
              trust: 'service',
              observedAt: '2026-03-01T12:00:00.000Z',
              from: { position: 12, at: '2026-03-01T12:00:04.000Z' },
              to: null,
              endedReason: null,
            },
          ],
        },
      ],
    },
  ],
})

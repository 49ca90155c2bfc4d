import { z } from 'zod'
import { instant, position } from '../../schema-parts.ts'

export const MomentQuery = z.strictObject({
  asOf: z.string().optional().describe('A position or an instant; by default the last commit'),
})

const point = z.strictObject({ position, at: instant })

export const Moment = z
  .strictObject({
    position,
    at: instant,
    isNow: z.boolean().describe('There is no later position'),
    oldest: point.describe('The first position that can be read'),
    newest: point.describe('The last commit'),
  })
  .meta({
    id: 'Moment',
    description: 'A moment of memory as a position and an instant, and the range of moments that can be read.',
    examples: [
      {
        position: 42,
        at: '2026-11-10T14:02:00.000Z',
        isNow: false,
        oldest: { position: 1, at: '2026-11-01T08:00:00.000Z' },
        newest: { position: 57, at: '2026-11-12T09:30:00.000Z' },
      },
    ],
  })

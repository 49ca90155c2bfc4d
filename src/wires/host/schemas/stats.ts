import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

const counts = z.record(z.string(), z.int()).describe('By status')

const Activity = z
  .strictObject({ at: instant, changes: z.int(), redacted: z.int() })
  .meta({ id: 'HourlyActivity', description: 'One hour of a tenant.' })

export const Stats = z
  .strictObject({
    at: instant,
    position: z.int(),
    entries: z.int(),
    entriesAreMore: z.boolean().describe('True if counting stopped at `entries`: there are at least that many'),
    refs: z.int(),
    expiringSoon: z.int().describe('Entries that expire within seven days'),
    sourceEvents: z.int(),
    contestedClaims: z.int(),
    redactions: z.record(z.string(), z.int()).describe('By rule or secret, in the last seven days'),
    runs: counts,
    jobs: counts,
    dimensions: z.record(z.string(), z.boolean()).describe('The memory capabilities of this host'),
    activity: list(Activity).describe('The last seven days by the hour; hours without changes are omitted'),
  })
  .meta({
    id: 'TenantStats',
    description: 'Counts of a tenant, and its changes by the hour.',
    examples: [
      {
        at: '2026-03-01T12:00:00.000Z',
        position: 57,
        entries: 31,
        entriesAreMore: false,
        refs: 4,
        expiringSoon: 2,
        sourceEvents: 12,
        contestedClaims: 1,
        redactions: { 'crm-password': 3 },
        runs: { completed: 5 },
        jobs: { queued: 1, completed: 18 },
        dimensions: { read: true, write: true, search: true, 'long-term-durability': true },
        activity: [{ at: '2026-03-01T11:00:00.000Z', changes: 6, redacted: 1 }],
      },
    ],
  })

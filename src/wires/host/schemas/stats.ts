import { z } from 'zod'
import { quotaNames } from '../../../core/quotas/quota.ts'
import { instant, list } from '../../schema-parts.ts'

const counts = z.record(z.string(), z.int()).describe('By status')

const Activity = z
  .strictObject({ at: instant, changes: z.int(), redacted: z.int() })
  .meta({ id: 'HourlyActivity', description: 'One hour of a tenant.' })

const QuotaUse = z
  .strictObject({ used: z.int(), limit: z.int() })
  .meta({ id: 'QuotaUse', description: 'How much of a quota is used.' })

const quotaUse = (used: number, limit: number) => ({ used, limit })

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
    quotas: z
      .record(z.enum(quotaNames), QuotaUse)
      .describe('By quota. Streams and requests in flight are those of the process that answers'),
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
        quotas: {
          entries: quotaUse(31, 10_000_000),
          bytes: quotaUse(2_480, 107_374_182_400),
          keys: quotaUse(2, 1_000),
          streams: quotaUse(1, 8_000),
          runsPending: quotaUse(0, 100_000),
          jobsPending: quotaUse(1, 200_000),
          requestsInFlight: quotaUse(1, 10_000),
        },
        activity: [{ at: '2026-03-01T11:00:00.000Z', changes: 6, redacted: 1 }],
      },
    ],
  })

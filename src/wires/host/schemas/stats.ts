import { z } from 'zod'
import { instant } from '../../schema-parts.ts'

const counts = z.record(z.string(), z.int()).describe('By status')

export const Stats = z
  .strictObject({
    at: instant,
    position: z.int(),
    entries: z.int(),
    entriesAreMore: z.boolean().describe('The entries were counted only so far'),
    refs: z.int(),
    expiringSoon: z.int().describe('Of the entries, within seven days'),
    sourceEvents: z.int(),
    contestedClaims: z.int(),
    redactions: z.record(z.string(), z.int()).describe('By rule or secret, in the last seven days'),
    runs: counts,
    jobs: counts,
    dimensions: z.record(z.string(), z.boolean()).describe('What the memory of this host can do'),
    activity: z
      .array(z.strictObject({ at: instant, changes: z.int(), redacted: z.int() }))
      .readonly()
      .describe('The last seven days by the hour; hours without a change are left out'),
  })
  .meta({ id: 'TenantStats', description: 'How much a tenant has, and how it changes. Numbers only.' })

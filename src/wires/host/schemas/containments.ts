import { z } from 'zod'
import { containmentKinds } from '../../../core/containment/selector.ts'
import { limits } from '../../../core/limits.ts'
import { checkReason } from '../../../core/reason.ts'
import { cursorLike, instant, list, nextCursor, position, withCheck } from '../../schema-parts.ts'

const name = z.string().optional()

export const ContainmentDraft = z
  .strictObject({
    key: name.describe('The id of a key: everything that it wrote, stated, edited, pinned or deleted'),
    writer: name.describe('Everything that this source service stated: the service_key'),
    sourceEvent: name.describe('The id of one source event'),
    run: name.describe('The id of a run: everything that it wrote or deleted'),
    agent: name.describe('The id of an agent: everything in its name'),
    since: z
      .union([z.string(), z.int().min(0)])
      .optional()
      .describe('Only what came since this instant or position; default everything'),
    reason: withCheck(z.string(), checkReason).optional(),
    dryRun: z.boolean().optional().describe('Only list what would be contained'),
  })
  .meta({
    id: 'ContainmentRequest',
    description: 'What to contain: exactly one of key, writer, sourceEvent, run, agent.',
    examples: [{ key: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d50', since: '2026-03-03T00:00:00Z', reason: 'Stolen' }],
  })

const counts = {
  sourceEvents: z.int(),
  assertions: z.int(),
  entries: z.int(),
  versions: z.int(),
  claims: z.int(),
  runs: z.int(),
}

const ContainmentCounts = z
  .strictObject(counts)
  .meta({ id: 'ContainmentCounts', description: 'How much is affected. Lists may be cut; counts are complete.' })

const AffectedEntry = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string().optional(),
    version: z.int().optional().describe('Its newest version'),
    affectedVersions: list(z.int()),
    why: z
      .enum(['written', 'derived', 'run'])
      .describe(
        'The contained source wrote or deleted it; a compaction was made of it; or a run wrote it after a read',
      ),
    compactionId: z.string().optional(),
    runId: z.string().optional(),
    effect: z
      .enum(['contained', 'restored', 'unchanged'])
      .describe('No longer current; an earlier version is current again; or it was changed since by another source'),
  })
  .meta({ id: 'AffectedEntry', description: 'An entry that came from the contained source, or was derived from it.' })

const AffectedClaim = z
  .strictObject({
    id: z.string(),
    before: z.string().nullable().describe('The memory that was the winner'),
    after: z.string().nullable().describe('The memory that is the winner without the contained source'),
  })
  .meta({ id: 'AffectedClaim', description: 'A claim that is decided again.' })

const AffectedRun = z
  .strictObject({
    id: z.string(),
    active: z.boolean().describe('It has not ended: it may write more. Cancel it if it must not.'),
    read: z.int().describe('How many affected entries it read'),
    wrote: list(z.string()).describe('The affected entries that it wrote after that'),
  })
  .meta({ id: 'AffectedRun', description: 'A run of the contained source, or one that read an affected entry.' })

const affected = { entries: list(AffectedEntry), claims: list(AffectedClaim), runs: list(AffectedRun) }

const record = {
  id: z.string(),
  selector: z.strictObject({ kind: z.enum(containmentKinds), value: z.string() }),
  since: z.string().optional(),
  reason: z.string().optional(),
  status: z.enum(['applied', 'released']),
  actor: z.string(),
  at: instant,
  position,
  counts: ContainmentCounts,
  released: z.strictObject({ actor: z.string(), at: instant, position }).optional(),
}

export const ContainmentPreview = z
  .strictObject({
    dryRun: z.literal(true),
    counts: ContainmentCounts,
    ...affected,
    truncated: z
      .literal(true)
      .optional()
      .describe(`A list has more than ${limits.containmentPageMax} items: only the first are returned`),
  })
  .meta({
    id: 'ContainmentPreview',
    description: 'What would be contained. Nothing was changed.',
    examples: [{ dryRun: true, counts: exampleCounts(), ...exampleAffected() }],
  })

export const Containment = z.strictObject(record).meta({
  id: 'Containment',
  description: 'A containment: what came from a compromised source no longer counts until it is released.',
  examples: [exampleRecord()],
})

export const ContainmentWithAffected = z.strictObject({ ...record, ...affected, cursor: nextCursor }).meta({
  id: 'ContainmentWithAffected',
  description: 'A containment with one page of what it affects.',
  examples: [{ ...exampleRecord(), ...exampleAffected() }],
})

export const ContainmentPage = z.strictObject({ containments: list(Containment), cursor: nextCursor }).meta({
  id: 'ContainmentPage',
  description: 'One page of containments, oldest first.',
  examples: [{ containments: [exampleRecord()] }],
})

export const AffectedQuery = z.strictObject({ cursor: cursorLike(/^\d{1,4}$/).optional() })

function exampleCounts() {
  return { sourceEvents: 0, assertions: 0, entries: 1, versions: 1, claims: 0, runs: 0 }
}

function exampleAffected() {
  return {
    entries: [
      {
        id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d42',
        memoryRef: 'agents/concierge',
        version: 1,
        affectedVersions: [1],
        why: 'written' as const,
        effect: 'contained' as const,
      },
    ],
    claims: [],
    runs: [],
  }
}

function exampleRecord() {
  return {
    id: 'ctn_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d60',
    selector: { kind: 'key' as const, value: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d50' },
    since: '2026-03-03T00:00:00Z',
    reason: 'Stolen',
    status: 'applied' as const,
    actor: 'key:key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d51',
    at: '2026-03-04T09:00:00.000Z',
    position: 812,
    counts: exampleCounts(),
  }
}

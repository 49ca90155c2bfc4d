import { z } from 'zod'
import { Discovery } from '../../openwop-v1/schemas/system.ts'
import { list } from '../../schema-parts.ts'

const version = z.string().regex(/^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/)
const witnesses = [
  'witnessable-unaided',
  'witnessable-gated',
  'seam-gated',
  'claims-check',
  'negative-existence',
] as const
export type Witness = (typeof witnesses)[number]

const count = z.int().min(1)

function isBounded({ status, until }: { readonly status?: unknown; readonly until?: unknown }): boolean {
  return (status === 'stable') === (until === undefined)
}

/** A family: closed, and experimental families say until when. To be there is the claim. */
function record<Facets extends z.ZodRawShape>(facets: Facets) {
  return z
    .strictObject({
      status: z.enum(['stable', 'experimental', 'deprecated']),
      since: version,
      until: z
        .string()
        .regex(/^((0|[1-9][0-9]*)\.(0|[1-9][0-9]*)|\d{4}-\d{2}-\d{2})$/)
        .optional(),
      witness: z.enum(witnesses),
      ...facets,
    })
    .refine(isBounded, { message: 'until belongs to every family that is not stable' })
}

const memory = record({
  maxEntrySizeBytes: count.optional(),
  ttlSupported: z.boolean().optional(),
  writable: z.boolean().optional(),
  search: z.strictObject({ modes: list(z.enum(['semantic', 'filter'])) }).optional(),
  retention: z.strictObject({ ttl: z.boolean(), forget: z.boolean() }).optional(),
  attribution: z.strictObject({ emitsWriteEvents: z.boolean() }).optional(),
  compaction: z
    .strictObject({
      trigger: z.enum(['host-managed', 'client-requested', 'both']),
      maxInputEntries: count.optional(),
      maxOutputBytes: z.int().min(0).optional(),
    })
    .optional(),
  distillation: z
    .strictObject({
      maxTokenBudget: count,
      scheduled: z.boolean(),
      indexEmitted: z.boolean(),
      tokenizerName: z.string(),
      archiveRetention: z.string(),
    })
    .optional(),
  injectionBudget: z
    .strictObject({ tokenCounter: z.enum(['o200k_base', 'cl100k_base', 'chars', 'host-defined']) })
    .optional(),
})

const webhooks = record({
  signatureAlgorithms: list(z.enum(['v1', 'standard-webhooks-1'])),
  retryPolicy: z
    .strictObject({
      maxAttempts: count,
      backoff: z.enum(['none', 'fixed', 'exponential']),
      maxElapsedMs: count.optional(),
    })
    .optional(),
  deadLetter: z.strictObject({ retentionDays: count, maxPageSize: count.max(1_000) }).optional(),
  secretRotation: z.strictObject({ overlapSeconds: z.int().min(60).max(604_800) }).optional(),
})

const limitsOfRuns = record({
  clarificationRounds: z.int().min(0),
  schemaRounds: z.int().min(0),
  envelopesPerTurn: z.int().min(0),
  maxNodeExecutions: count.optional(),
  maxRunDurationMs: z.int().min(1_000).optional(),
  maxRequestBodyBytes: count.optional(),
})

const auth = record({
  lanes: list(
    z.strictObject({
      lane: z.literal('api-key'),
      issuers: list(z.string()),
      revocation: z.literal('next-request'),
      minimumAssurance: z.literal('bearer'),
    }),
  ),
})

const experimental = { status: 'experimental', since: '2.0', until: '2.1', witness: 'witnessable-gated' } as const

const example = {
  protocolVersions: ['1.0', '2.0'],
  preferredVersion: '1.0',
  implementation: { name: 'colophon', version: '1.0.0', vendor: 'colophon' },
  engineVersion: 1,
  eventLogSchemaVersion: 3,
  limits: {
    status: 'stable',
    since: '2.0',
    witness: 'witnessable-gated',
    clarificationRounds: 1,
    schemaRounds: 0,
    envelopesPerTurn: 1,
  },
  memory: { ...experimental, maxEntrySizeBytes: 65_536, ttlSupported: true, search: { modes: ['filter'] } },
}

/** The root is closed: every other key is an error. */
export const CapabilitiesV2 = z
  .strictObject({
    protocolVersions: list(version),
    preferredVersion: version,
    implementation: z.strictObject({ name: z.string(), version: z.string(), vendor: z.string() }),
    engineVersion: z.int().min(0),
    eventLogSchemaVersion: z.int().min(2),
    fixtures: list(z.string()).optional(),
    limits: limitsOfRuns,
    eventLog: record({}).optional(),
    idempotency: record({ crossRegion: z.literal('single-region') }).optional(),
    interrupt: record({ tokenAlgs: list(z.literal('hs256')), refKinds: list(z.literal('principal')) }).optional(),
    replay: record({
      modes: list(z.enum(['replay', 'branch'])),
      effectSeamsManifest: z.literal('/host/effect-seams'),
    }).optional(),
    webhooks: webhooks.optional(),
    runList: record({ maxPageSize: count.max(1_000), filters: list(z.enum(['workflowId', 'status'])) }).optional(),
    memory: memory.optional(),
    agents: record({
      memoryBackends: list(z.literal('long-term')).optional(),
      memoryConsolidation: z.strictObject({ schedule: z.enum(['host-managed', 'scheduled', 'on-demand']) }).optional(),
      commitments: z.strictObject({ fireConditions: list(z.enum(['time', 'predicate'])) }).optional(),
      manifestRuntime: z
        .strictObject({ handoffValidation: z.boolean(), installScope: z.enum(['host', 'tenant']) })
        .optional(),
    }).optional(),
    secrets: record({
      scopes: list(z.enum(['tenant', 'user', 'run'])),
      resolution: z.literal('host-managed'),
    }).optional(),
    subWorkflow: record({ inputMapping: z.boolean() }).optional(),
    auth: auth.optional(),
  })
  .meta({
    id: 'CapabilitiesV2',
    description: 'The capabilities of this host now, as version 2 shows them: a family that is there is claimed.',
    examples: [example],
  })

/** Either version of the document. */
export const AnyDiscovery = z.union([CapabilitiesV2, Discovery]).meta({
  id: 'AnyDiscovery',
  description: 'The capabilities and limits of this host now, in the version that the header OpenWOP-Version selects.',
  examples: [example],
})

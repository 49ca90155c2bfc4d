import type { z } from 'zod'
import { acceptsWrites, type HostFacts } from '../../app/capabilities.ts'
import { limits } from '../../core/limits.ts'
import { preferredVersion, protocolVersions } from '../negotiation.ts'
import { advertise, runLimits } from '../openwop-v1/discovery.ts'
import { engineVersion } from '../openwop-v1/versions.ts'
import type { CapabilitiesV2, Witness } from './schemas/discovery.ts'
import { keyIssuer } from './subject.ts'

/** What the document needs beside the facts of the host. */
export type Mounted = {
  /** Whether an operation is served: `POST /runs`. */
  readonly serves: (operation: string) => boolean
  /** How often a delivery to a webhook is tried. */
  readonly webhookAttemptsMax: number
}

type Facets = Readonly<Record<string, unknown>>

/** The log of every new run has this era. */
const eventLogSchemaVersion = 3

/**
 * The discovery document of version 2. What the host can do is computed once, for version 1; a family is here if version 1 claims it and
 * the operations of version 2 that belong to it are served. A family is a record: to be there is the claim.
 */
export function advertiseV2(facts: HostFacts, mounted: Mounted): z.output<typeof CapabilitiesV2> {
  const { serves } = mounted
  const v1 = advertise(facts)
  const writes = acceptsWrites(facts)
  const runs = writes && serves('POST /runs')
  const when = (isClaimed: boolean, facets: Facets | null) => (isClaimed ? facets : null)
  const families: Readonly<Record<string, Facets | null>> = {
    eventLog: when(runs && serves('GET /runs/{runId}/events/poll'), record('claims-check')),
    idempotency: when(
      runs && serves('GET /runs/{runId}/effects'),
      gated({ crossRegion: v1.idempotency.crossRegion ?? 'single-region' }),
    ),
    interrupt: when(
      runs && serves('POST /runs/{runId}/interrupts/{nodeId}'),
      gated({ tokenAlgs: ['hs256'], refKinds: ['principal'] }),
    ),
    replay: when(
      runs && serves('POST /runs/{runId}:fork') && serves('GET /host/effect-seams'),
      gated({ modes: v1.replay.modes, effectSeamsManifest: '/host/effect-seams' }),
    ),
    webhooks: when(runs && facts.sendsWebhooks && serves('POST /webhooks'), gated(webhooks(mounted))),
    runList: when(
      serves('GET /runs'),
      gated({ maxPageSize: limits.runListPageMax, filters: ['workflowId', 'status'] }),
    ),
    // Memory has no operations of its own: runs read and write it.
    memory: when(serves('POST /runs'), family(v1.memory)),
    agents: when(serves('GET /agents'), gated(agentFacets(v1.agents))),
    secrets: family(v1.secrets),
    subWorkflow: when(runs, record('claims-check', { inputMapping: true })),
    auth: record('seam-gated', { lanes: [apiKeys] }),
  }
  const claimed = Object.entries(families).filter(([, facets]) => facets !== null)
  return {
    protocolVersions,
    preferredVersion,
    implementation: v1.implementation,
    engineVersion,
    eventLogSchemaVersion,
    ...(facts.fixtures.length > 0 ? { fixtures: facts.fixtures } : {}),
    limits: { status: 'stable', since: '2.0', witness: 'witnessable-gated', ...runLimits(facts) },
    ...Object.fromEntries(claimed),
  }
}

/** The corpus declares these families experimental, so no host can claim more. */
function record(witness: Witness, facets: Facets = {}): Facets {
  return { status: 'experimental', since: '2.0', until: '2.1', witness, ...facets }
}

function gated(facets: Facets): Facets {
  return record('witnessable-gated', facets)
}

/** A family of version 1 as a record, without `supported`; null if it is not supported. */
function family(block: unknown): Facets | null {
  const facets = withoutSupported(block)
  return facets === null ? null : gated(facets)
}

function withoutSupported(block: unknown): Facets | null {
  const { supported = true, ...members } = block as Facets
  if (supported === false) return null
  const kept = Object.entries(members).flatMap(([name, value]) => {
    const isBlock = value !== null && typeof value === 'object' && !Array.isArray(value)
    const shown = isBlock ? withoutSupported(value) : value
    return shown === null ? [] : [[name, shown]]
  })
  return Object.fromEntries(kept)
}

/** What agents have of memory, and whether manifests are run. The other facets of version 1 have no scenario here. */
function agentFacets(agents: Facets): Facets {
  const { memoryBackends, memoryConsolidation, commitments, manifestRuntime } = withoutSupported(agents) ?? {}
  const known = Object.entries({ memoryBackends, memoryConsolidation, commitments, manifestRuntime })
  return Object.fromEntries(known.filter(([, value]) => value !== undefined))
}

function webhooks({ serves, webhookAttemptsMax }: Mounted): Facets {
  const retryPolicy = { maxAttempts: webhookAttemptsMax, backoff: 'exponential' }
  const deadLetter = { retentionDays: limits.deadLetterDays, maxPageSize: limits.deadLetterPageMax }
  const hasDeadLetters = serves('GET /webhooks/{webhookId}/dead-letters')
  const secretRotation = { overlapSeconds: limits.webhookRotationOverlapMs / 1_000 }
  const rotates = serves('POST /webhooks/{webhookId}/rotate-secret')
  return {
    signatureAlgorithms: ['v1'],
    retryPolicy,
    ...(hasDeadLetters ? { deadLetter } : {}),
    ...(rotates ? { secretRotation } : {}),
  }
}

/** A revoked key is refused on the next request. */
const apiKeys = {
  lane: 'api-key',
  issuers: [keyIssuer],
  revocation: 'next-request',
  minimumAssurance: 'bearer',
}

import type { z } from 'zod'
import { type HostFacts, hostMemory, takesWrites } from '../../app/capabilities.ts'
import { limits } from '../../core/limits.ts'
import type { Discovery } from './schemas/system.ts'
import { engineVersion, eventLogSchemaVersion } from './versions.ts'

/** The discovery document. Families stand at the root, and again under `capabilities` for older readers. */
export function advertise(facts: HostFacts): z.output<typeof Discovery> {
  const families = { ...memoryFamilies(facts), ...runFamilies(facts), ...fixturesOf(facts) }
  // Who answers a question writes to a run.
  const asks = takesWrites(facts)
  return {
    protocolVersion: '1.0',
    implementation: { name: 'colophon', version: facts.version, vendor: 'colophon' },
    engineVersion,
    eventLogSchemaVersion,
    supportedEnvelopes: asks ? ['clarification.request'] : [],
    schemaVersions: asks ? { 'clarification.request': 1 } : {},
    limits: {
      // A gate asks once: there is no second round.
      clarificationRounds: 1,
      schemaRounds: 0,
      envelopesPerTurn: 1,
      maxNodeExecutions: limits.runNodeExecutionsMax,
      maxRunDurationMs: limits.runDurationMsMax,
      maxRequestBodyBytes: facts.bodyLimitBytes,
    },
    supportedTransports: ['rest'],
    runtimeCapabilities: [],
    ...families,
    capabilities: families,
  }
}

function fixturesOf({ fixtures }: HostFacts) {
  return fixtures.length > 0 ? { fixtures } : {}
}

function memoryFamilies(facts: HostFacts) {
  const memory = hostMemory(facts)
  return {
    memory: {
      supported: memory.read,
      maxEntrySizeBytes: limits.contentBytesMax,
      ttlSupported: memory.ttl,
      writable: memory.write,
      ...(memory.compaction
        ? {
            compaction: {
              supported: true,
              // On its own schedule, and when a client asks: each event says which it was.
              trigger: 'both',
              maxInputEntries: limits.compactionSourcesMax,
              maxOutputBytes: limits.contentBytesMax,
            },
          }
        : {}),
      ...(memory.attribution ? { attribution: { supported: true, emitsWriteEvents: true } } : {}),
      ...(memory.search.length > 0 ? { search: { supported: true, modes: memory.search } } : {}),
      retention: { ttl: memory.ttl, forget: memory.forget },
      // What is read for a prompt is redacted first. A token is four characters: see `countTokens`.
      ...(memory.read && facts.vaultOpen ? { injectionBudget: { supported: true, tokenCounter: 'host-defined' } } : {}),
    },
    // The protocol has no endpoint for clients; a host's own is named in its own namespace.
    'x-host-colophon-memory-query': memory.read ? { supported: true, ...memoryQuery } : { supported: false },
    agents: {
      // Manifests are kept and listed. `supported` and `manifestRuntime` would say that agents run, and none does.
      manifestRuntime: { supported: false },
      ...(memory.longTerm ? { memoryBackends: ['long-term'] } : {}),
    },
    secrets: facts.vaultOpen
      ? { supported: true, scopes: ['tenant', 'user', 'run'], resolution: 'host-managed' }
      : { supported: false },
  }
}

/** Where clients list, get and search. Every path is in the OpenAPI document. */
const memoryQuery = {
  list: 'GET /v1/host/colophon/memory/{ref}/entries',
  get: 'GET /v1/host/colophon/memory/{ref}/entries/{id}',
  search: 'POST /v1/host/colophon/memory/{ref}/search',
  openapi: '/v1/openapi.json',
} as const

/** A run is made of writes: a host that takes none runs nothing, and only shows what ran before. */
function runFamilies(facts: HostFacts) {
  const runs = takesWrites(facts)
  const sendsWebhooks = runs && facts.sendsWebhooks
  const reads = facts.store.readable
  const isDurable = facts.traits.durable
  return {
    replay: runs
      ? { supported: true, modes: ['replay', 'branch'], sideEffectSuppression: 'recorded-outcome' }
      : { supported: false },
    runs: {
      pauseResume: runs
        ? { supported: true, drainPolicies: ['immediate', 'drain-current-node'] }
        : { supported: false },
      bulkCancel: runs ? { supported: true, maxRunIds: limits.bulkCancelRunsMax } : { supported: false },
    },
    subWorkflow: { inputMapping: runs },
    debugBundle: { supported: reads },
    // What workflows call sensitive, unless they choose another mode.
    compliance: { defaultMode: 'mask', supportedClasses: [] },
    restTransport: { conditionalRunGet: reads },
    idempotency: runs
      ? {
          supported: true,
          ...(isDurable ? { layer1RetentionSeconds: limits.idempotencyHoldMs / 1_000 } : {}),
          crossRegion: 'single-region',
        }
      : { supported: false },
    webhooks: sendsWebhooks
      ? { supported: true, signatureAlgorithms: ['v1'], durable: isDurable }
      : { supported: false },
  }
}

type Document = Readonly<Record<string, unknown>>

/** Profiles follow from the document alone, by the published predicates. */
export function deriveProfiles(document: Document): string[] {
  if (!isCore(document)) return []
  const memory = document.memory as { supported?: boolean; writable?: boolean } | undefined
  const agents = document.agents as { memoryBackends?: unknown } | undefined
  const secrets = document.secrets as { supported?: boolean; scopes?: readonly string[] } | undefined
  const replay = document.replay as { supported?: boolean; modes?: readonly string[] } | undefined
  const hasInterrupts = (document.supportedEnvelopes as readonly string[]).includes('clarification.request')
  const transports = document.supportedTransports as readonly string[] | undefined
  const hasStreams = transports === undefined || transports.includes('rest')
  const hasLongTerm = Array.isArray(agents?.memoryBackends) && agents.memoryBackends.includes('long-term')
  const profiles: readonly (readonly [string, boolean])[] = [
    ['openwop-core', true],
    ['openwop-interrupts', hasInterrupts],
    ['openwop-stream-sse', hasStreams],
    ['openwop-stream-poll', hasStreams],
    ['openwop-core-standard', hasInterrupts && hasStreams],
    ['openwop-memory', memory?.supported === true && memory.writable !== false && hasLongTerm],
    ['openwop-secrets', secrets?.supported === true && secrets.scopes?.includes('user') === true],
    ['openwop-replay-fork', replay?.supported === true && (replay.modes?.length ?? 0) > 0],
    ['openwop-fixtures', Array.isArray(document.fixtures) && document.fixtures.length > 0],
  ]
  return profiles.flatMap(([name, holds]) => (holds ? [name] : []))
}

function isCore(document: Document): boolean {
  const limitsBlock = document.limits as Document | undefined
  return (
    typeof document.protocolVersion === 'string' &&
    document.protocolVersion.startsWith('1.') &&
    Array.isArray(document.supportedEnvelopes) &&
    typeof document.schemaVersions === 'object' &&
    ['clarificationRounds', 'schemaRounds', 'envelopesPerTurn'].every((name) => Number.isInteger(limitsBlock?.[name]))
  )
}

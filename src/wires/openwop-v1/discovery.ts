import type { z } from 'zod'
import { type HostFacts, hostMemory } from '../../app/capabilities.ts'
import { limits } from '../../core/limits.ts'
import type { Discovery } from './schemas/system.ts'
import { engineVersion, eventLogSchemaVersion } from './versions.ts'

/** The discovery document. Families stand at the root, and again under `capabilities` for older readers. */
export function advertise(facts: HostFacts): z.output<typeof Discovery> {
  const families = { ...memoryFamilies(facts), ...runFamilies(facts) }
  return {
    protocolVersion: '1.0',
    implementation: { name: 'colophon', version: facts.version, vendor: 'colophon' },
    engineVersion,
    eventLogSchemaVersion,
    supportedEnvelopes: ['clarification.request'],
    schemaVersions: { 'clarification.request': 1 },
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
    ...(facts.fixtures.length > 0 ? { fixtures: facts.fixtures } : {}),
    ...families,
    capabilities: families,
  }
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
              trigger: 'host-managed',
              maxInputEntries: limits.compactionSourcesMax,
              maxOutputBytes: limits.contentBytesMax,
            },
          }
        : {}),
      ...(memory.attribution ? { attribution: { supported: true, emitsWriteEvents: true } } : {}),
      ...(memory.search.length > 0 ? { search: { supported: true, modes: memory.search } } : {}),
      retention: { ttl: memory.ttl, forget: memory.forget },
      // What is read for a prompt is redacted first. A token is four characters: see `countTokens`.
      ...(facts.vaultOpen ? { injectionBudget: { supported: true, tokenCounter: 'host-defined' } } : {}),
    },
    agents: {
      supported: true,
      ...(memory.longTerm ? { memoryBackends: ['long-term'] } : {}),
      manifestRuntime: { supported: true, handoffValidation: false, installScope: 'tenant' },
    },
    secrets: facts.vaultOpen
      ? { supported: true, scopes: ['tenant', 'user', 'run'], resolution: 'host-managed' }
      : { supported: false },
  }
}

function runFamilies(facts: HostFacts) {
  const tells = facts.sendsWebhooks && facts.vaultOpen
  const isDurable = facts.traits.durable
  return {
    replay: { supported: true, modes: ['replay', 'branch'], sideEffectSuppression: 'recorded-outcome' },
    runs: {
      pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] },
      bulkCancel: { supported: true, maxRunIds: limits.bulkCancelRunsMax },
    },
    multiAgent: { executionModel: { supported: true, version: 2, crossChildMemoryConcurrency: 'strict' } },
    subWorkflow: { inputMapping: true },
    debugBundle: { supported: true },
    restTransport: { conditionalRunGet: true },
    idempotency: {
      supported: true,
      ...(isDurable ? { layer1RetentionSeconds: limits.idempotencyHoldMs / 1_000 } : {}),
      crossRegion: 'single-region',
    },
    webhooks: tells ? { supported: true, signatureAlgorithms: ['v1'], durable: isDurable } : { supported: false },
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

import { limits } from '../core/limits.ts'
import type { StorageTraits } from '../ports/storage.ts'

/** What is really configured and working now; nothing is claimed that does not come from here. */
export type HostFacts = {
  readonly version: string
  readonly traits: StorageTraits
  /** Whether every stored secret can be redacted. Without that, SR-1 does not hold and long-term memory is not offered. */
  readonly vaultOpen: boolean
  readonly bodyLimitBytes: number
}

/** The discovery document. Families stand at the root, and again under `capabilities` for older readers. */
export function advertise(facts: HostFacts): Record<string, unknown> {
  const isLongTerm = facts.traits.durable && facts.vaultOpen
  const families = {
    memory: {
      supported: true,
      maxEntrySizeBytes: limits.contentBytesMax,
      ttlSupported: true,
      writable: true,
      retention: { ttl: true, forget: false },
    },
    agents: { supported: false, ...(isLongTerm ? { memoryBackends: ['long-term'] } : {}) },
    secrets: facts.vaultOpen
      ? { supported: true, scopes: ['tenant', 'user', 'run'], resolution: 'host-managed' }
      : { supported: false },
  }
  return {
    protocolVersion: '1.0',
    implementation: { name: 'colophon', version: facts.version, vendor: 'colophon' },
    supportedEnvelopes: [],
    schemaVersions: {},
    limits: {
      clarificationRounds: 0,
      schemaRounds: 0,
      envelopesPerTurn: 0,
      maxRequestBodyBytes: facts.bodyLimitBytes,
    },
    supportedTransports: ['rest'],
    ...families,
    capabilities: families,
  }
}

/** Profiles follow from the document alone, by the published predicates. */
export function deriveProfiles(document: Record<string, unknown>): string[] {
  const limitsBlock = document.limits as Record<string, unknown> | undefined
  const isCore =
    typeof document.protocolVersion === 'string' &&
    document.protocolVersion.startsWith('1.') &&
    Array.isArray(document.supportedEnvelopes) &&
    typeof document.schemaVersions === 'object' &&
    ['clarificationRounds', 'schemaRounds', 'envelopesPerTurn'].every((name) => Number.isInteger(limitsBlock?.[name]))
  if (!isCore) return []
  const memory = document.memory as { supported?: boolean; writable?: boolean } | undefined
  const agents = document.agents as { memoryBackends?: unknown } | undefined
  const secrets = document.secrets as { supported?: boolean; scopes?: readonly string[] } | undefined
  const hasLongTerm = Array.isArray(agents?.memoryBackends) && agents.memoryBackends.includes('long-term')
  return [
    'openwop-core',
    ...(memory?.supported === true && memory.writable !== false && hasLongTerm ? ['openwop-memory'] : []),
    ...(secrets?.supported === true && secrets.scopes?.includes('user') ? ['openwop-secrets'] : []),
  ]
}

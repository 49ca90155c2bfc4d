import type { z } from 'zod'
import { acceptsWrites, executionModelVersion, type HostFacts, hostMemory } from '../../app/capabilities.ts'
import type { HostCapabilities } from '../../core/agents/agent-requirements.ts'
import { reasoningTokensMax } from '../../core/agents/confidence.ts'
import { fireConditions } from '../../core/commitments/commitment.ts'
import { archiveRetention } from '../../core/distillation/archive.ts'
import { tokenizerName } from '../../core/distillation/token-plan.ts'
import { trustClasses } from '../../core/entries/trust.ts'
import { scheduleHorizon } from '../../core/jobs/schedule.ts'
import { limits } from '../../core/limits.ts'
import { confidenceFloor } from '../../core/run/orchestration.ts'
import { preferredVersion, protocolVersions } from '../negotiation.ts'
import type { Discovery } from './schemas/system.ts'
import { engineVersion, eventLogSchemaVersion } from './versions.ts'

/** The discovery document. Families are at the root, and again under `capabilities` for older clients. */
export function advertise(facts: HostFacts): z.output<typeof Discovery> {
  const families = {
    ...memoryFamilies(facts),
    ...workspaceFamily(facts),
    ...schedulingFamily(facts),
    ...runFamilies(facts),
    ...orchestrationFamilies(facts),
    ...fixturesOf(facts),
  }
  // Resolving an interrupt writes to a run, so a read-only host advertises none.
  const hasInterrupts = acceptsWrites(facts)
  return {
    protocolVersion: '1.0',
    protocolVersions,
    preferredVersion,
    implementation: { name: 'colophon', version: facts.version, vendor: 'colophon' },
    engineVersion,
    eventLogSchemaVersion,
    supportedEnvelopes: hasInterrupts ? ['clarification.request'] : [],
    schemaVersions: hasInterrupts ? { 'clarification.request': 1 } : {},
    limits: runLimits(facts),
    supportedTransports: ['rest'],
    runtimeCapabilities: [],
    ...families,
    capabilities: families,
  }
}

/** The limits of runs and requests. */
export function runLimits(facts: HostFacts) {
  return {
    // A gate has one round of questions.
    clarificationRounds: 1,
    schemaRounds: 0,
    envelopesPerTurn: 1,
    maxNodeExecutions: limits.runNodeExecutionsMax,
    maxRunDurationMs: limits.runDurationMsMax,
    maxRequestBodyBytes: facts.bodyLimitBytes,
  }
}

/** What the requirements of agents are compared with: the current memory capabilities and the discovery document. */
export function hostOffer(facts: HostFacts): HostCapabilities {
  return { memory: hostMemory(facts), document: advertise(facts) }
}

function fixturesOf({ fixtures }: HostFacts) {
  // The mock agent exists only beside the fixtures that use it.
  return fixtures.length > 0 ? { fixtures, conformance: { mockAgent: true } } : {}
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
              // By schedule and on request: each event says which.
              trigger: 'both',
              maxInputEntries: limits.compactionSourcesMax,
              maxOutputBytes: limits.contentBytesMax,
            },
          }
        : {}),
      ...(memory.compaction ? { distillation } : {}),
      ...(memory.attribution ? { attribution: { supported: true, emitsWriteEvents: true } } : {}),
      ...(memory.search.length > 0 ? { search: { supported: true, modes: memory.search } } : {}),
      retention: { ttl: memory.ttl, forget: memory.forget },
      // Reads for a prompt are redacted first. A token is four characters: see `countTokens`.
      ...(memory.read && facts.vaultOpen ? { injectionBudget: { supported: true, tokenCounter: 'host-defined' } } : {}),
    },
    // The protocol has no endpoint for clients, so a host names its own endpoints in its own namespace.
    'x-host-colophon-memory-query': memory.read ? { supported: true, ...memoryQuery } : { supported: false },
    'x-host-colophon-trust': { supported: true, classes: trustClasses, quarantine },
    agents: {
      ...agentRuntime(facts),
      ...(memory.longTerm ? { memoryBackends: ['long-term'] } : {}),
      ...(acceptsWrites(facts) ? { orchestrator: true, dispatch: true, dispatchMapping: true } : {}),
      // Also by schedule and by the host itself, once the tenant switches that on: each event says which.
      ...(memory.consolidation ? { memoryConsolidation: { supported: true, schedule: 'on-demand' } } : {}),
      // Commitments that a restart would lose are none.
      ...(memory.longTerm && memory.write ? { commitments: { supported: true, fireConditions } } : {}),
    },
    secrets: facts.vaultOpen
      ? { supported: true, scopes: ['tenant', 'user', 'run'], resolution: 'host-managed' }
      : { supported: false },
  }
}

/** Agents run where runs are executed: by rules, and with a model where one is configured. */
function agentRuntime(facts: HostFacts) {
  if (!acceptsWrites(facts)) return { manifestRuntime: { supported: false } }
  return {
    supported: true,
    manifestRuntime: { supported: true, handoffValidation: true, installScope: 'tenant' },
    reasoning: { verbosity: 'summary', tokenLimit: reasoningTokensMax },
    ...(facts.hasModel
      ? {
          liveRuntime: {
            supported: true,
            structuredOutput: true,
            confidenceEscalation: true,
            sources: ['workflow-node'],
          },
        }
      : {}),
  }
}

/** Archives within a token budget, with their index as a workspace file. */
const distillation = {
  supported: true,
  maxTokenBudget: limits.distillationTokenBudgetMax,
  // A schedule starts a run of a workflow that distills.
  scheduled: true,
  indexEmitted: true,
  tokenizerName,
  archiveRetention,
} as const

/** The operations by which clients list, get and search. Every path is in the OpenAPI document. */
const memoryQuery = {
  list: 'GET /v1/host/colophon/memory/{ref}/entries',
  get: 'GET /v1/host/colophon/memory/{ref}/entries/{id}',
  search: 'POST /v1/host/colophon/memory/{ref}/search',
  openapi: '/v1/openapi.json',
} as const

function workspaceFamily(facts: HostFacts) {
  if (!acceptsWrites(facts)) return { workspace: { supported: false } }
  const { workspaceFileBytesMax: maxFileBytes, workspaceFilesMax: maxFiles, workspaceVersionsMax: maxVersions } = limits
  return { workspace: { supported: true, versioned: true, maxFileBytes, maxFiles, maxVersions } }
}

/** A schedule that does not survive a restart is none. Calendars are not supported; `at` names a single instant. */
function schedulingFamily(facts: HostFacts) {
  if (!acceptsWrites(facts) || !facts.traits.durable)
    return { scheduling: { supported: false }, heartbeat: { supported: false } }
  const { heartbeatIntervalSecMin: minIntervalSec, heartbeatRuntimeMsMax: maxRuntimeMs } = limits
  return {
    scheduling: { supported: true, cron: true, delayed: true, calendar: false, maxFutureHorizon: scheduleHorizon },
    heartbeat: { supported: true, minIntervalSec, maxRuntimeMs },
  }
}

/**
 * Supervisors and dispatch nodes. The execution model has level 2: decisions, chains of events and workers one after another, a floor of
 * confidence, and memory that a family of runs shares. A decision with several workers runs them in sequence, so there is no fan-out.
 */
function orchestrationFamilies(facts: HostFacts) {
  if (!acceptsWrites(facts))
    return { orchestrator: { supported: false }, dispatch: { supported: false }, conversationPrimitive: false }
  return {
    conversationPrimitive: true,
    multiAgent: {
      executionModel: {
        supported: true,
        version: executionModelVersion,
        confidenceEscalationFloor: confidenceFloor,
        confidenceEscalationInterruptKind: 'approval',
        crossChildMemoryConcurrency: 'strict',
      },
    },
    orchestrator: { supported: true, fanOutSupported: false },
    dispatch: {
      supported: true,
      models: ['child-run'],
      fanOutSupported: false,
      askUserRoutings: ['conversation', 'clarification', 'auto'],
    },
  }
}

/** Where a client finds what reads leave out by default. */
const quarantine = 'GET /v1/host/colophon/quarantine'

/** A run needs writes, so a read-only host only shows earlier runs. */
function runFamilies(facts: HostFacts) {
  const runs = acceptsWrites(facts)
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
    // The default mode for values that a workflow marks as sensitive.
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

/** The profiles of a discovery document, by the published predicates. */
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
  return profiles.flatMap(([name, isMet]) => (isMet ? [name] : []))
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

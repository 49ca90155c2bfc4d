import { z } from 'zod'
import { list } from '../../schema-parts.ts'

export const Health = z
  .strictObject({ status: z.literal('ok') })
  .meta({ id: 'Health', description: 'The process responds.', examples: [{ status: 'ok' }] })

export const Readiness = z
  .strictObject({
    status: z.enum(['ready', 'unavailable']),
    reason: z
      .enum(['database_unreachable', 'commits_overdue', 'clock_ahead'])
      .optional()
      .describe('Why it is unavailable'),
    warning: z
      .enum(['storage_full', 'clock_behind'])
      .optional()
      .describe('What an operator should look at, although requests are served'),
    behindSeconds: z
      .int()
      .optional()
      .describe('How far the clock of the server is behind the latest record that it knows'),
  })
  .meta({
    id: 'Readiness',
    description: 'Whether the database can be reached and confirms writes, and whether the clock agrees with it.',
    examples: [{ status: 'ready' }],
  })

const family = z.record(z.string(), z.unknown())

const families = {
  memory: family.describe('Search, retention, compaction, attribution'),
  agents: family.describe('Whether memory is long-term, and whether agents are run'),
  'x-host-colophon-memory-query': family.describe('Where clients list, get and search memory'),
  secrets: family,
  scheduling: family.describe('Schedules that start runs'),
  heartbeat: family.describe('Heartbeats: what is observed at an interval'),
  workspace: family.describe('Files of the workspace, and their limits'),
  replay: family,
  runs: family.describe('Pausing and bulk cancelling'),
  subWorkflow: family,
  multiAgent: family.optional().describe('How supervisors and their workers are executed'),
  orchestrator: family.describe('Supervisors'),
  conversationPrimitive: z.boolean().describe('Conversations of many turns'),
  dispatch: family.describe('What dispatch nodes do with decisions'),
  debugBundle: family,
  compliance: family.describe('How sensitive values are masked'),
  restTransport: family,
  idempotency: family,
  webhooks: family,
  conformance: family.optional().describe('Node types that exist for conformance runs only'),
  fixtures: list(z.string()).optional().describe('Workflows of a conformance run'),
}

const supported = { supported: true }
const offered = {
  memory: { ...supported, writable: true, search: { ...supported, modes: ['filter'] } },
  agents: { manifestRuntime: { supported: false }, memoryBackends: ['long-term'] },
  'x-host-colophon-memory-query': { ...supported, list: 'GET /v1/host/colophon/memory/{ref}/entries' },
  scheduling: { ...supported, cron: true, delayed: true, calendar: false, maxFutureHorizon: 'P90D' },
  heartbeat: { ...supported, minIntervalSec: 60, maxRuntimeMs: 5_000 },
  workspace: { ...supported, versioned: true, maxFileBytes: 65_536, maxFiles: 128, maxVersions: 20 },
  secrets: { ...supported, scopes: ['tenant', 'user', 'run'] },
  replay: { ...supported, modes: ['replay', 'branch'] },
  runs: { pauseResume: supported, bulkCancel: supported },
  subWorkflow: { inputMapping: true },
  multiAgent: { executionModel: { ...supported, version: 2, confidenceEscalationFloor: 0.5 } },
  orchestrator: { ...supported, fanOutSupported: false },
  conversationPrimitive: true,
  dispatch: { ...supported, models: ['child-run'], fanOutSupported: false, askUserRoutings: ['clarification', 'auto'] },
  debugBundle: supported,
  compliance: { defaultMode: 'mask', supportedClasses: [] },
  restTransport: { conditionalRunGet: true },
  idempotency: { ...supported, crossRegion: 'single-region' },
  webhooks: { ...supported, signatureAlgorithms: ['v1'] },
}

const Capabilities = z
  .strictObject(families)
  .meta({ id: 'Capabilities', description: 'The same families again, for clients of earlier versions.' })

export const Discovery = z
  .strictObject({
    protocolVersion: z.string(),
    protocolVersions: list(z.string()).describe('Every version that this host speaks'),
    preferredVersion: z.string().describe('The version of this document without the header OpenWOP-Version'),
    implementation: z.strictObject({ name: z.string(), version: z.string(), vendor: z.string() }),
    engineVersion: z.int(),
    eventLogSchemaVersion: z.int(),
    supportedEnvelopes: list(z.string()),
    schemaVersions: z.record(z.string(), z.int()),
    limits: z.record(z.string(), z.int()),
    supportedTransports: list(z.string()),
    runtimeCapabilities: list(z.string()),
    ...families,
    capabilities: Capabilities,
  })
  .meta({
    id: 'Discovery',
    description: 'The capabilities and limits of this host now.',
    examples: [
      {
        protocolVersion: '1.0',
        protocolVersions: ['1.0', '2.0'],
        preferredVersion: '1.0',
        implementation: { name: 'colophon', version: '1.0.0', vendor: 'colophon' },
        engineVersion: 1,
        eventLogSchemaVersion: 2,
        supportedEnvelopes: ['clarification.request'],
        schemaVersions: { 'clarification.request': 1 },
        limits: { maxNodeExecutions: 1_000, maxRequestBodyBytes: 1_048_576 },
        supportedTransports: ['rest'],
        runtimeCapabilities: [],
        ...offered,
        capabilities: offered,
      },
    ],
  })

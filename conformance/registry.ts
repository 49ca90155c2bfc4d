// Every scenario, in the order in which they run.
import type { Scenario } from './harness.ts'
import { scenarios as agentInventory } from './scenarios/agent-inventory.ts'
import { scenarios as agentRuntime } from './scenarios/agent-runtime.ts'
import { scenarios as auth } from './scenarios/auth.ts'
import { scenarios as bulkCancel } from './scenarios/bulk-cancel.ts'
import { scenarios as byokRoundtrip } from './scenarios/byok-roundtrip.ts'
import { scenarios as cancellation } from './scenarios/cancellation.ts'
import { scenarios as capBreach } from './scenarios/cap-breach.ts'
import { scenarios as configurableSchema } from './scenarios/configurable-schema.ts'
import { scenarios as conversation } from './scenarios/conversation.ts'
import { scenarios as debugBundle } from './scenarios/debug-bundle.ts'
import { scenarios as discovery } from './scenarios/discovery.ts'
import { scenarios as discoveryShape } from './scenarios/discovery-shape.ts'
import { scenarios as errors } from './scenarios/errors.ts'
import { scenarios as eventOrdering } from './scenarios/event-ordering.ts'
import { scenarios as failurePath } from './scenarios/failure-path.ts'
import { scenarios as highConcurrency } from './scenarios/high-concurrency.ts'
import { scenarios as idempotency } from './scenarios/idempotency.ts'
import { scenarios as interruptApproval } from './scenarios/interrupt-approval.ts'
import { scenarios as interruptClarification } from './scenarios/interrupt-clarification.ts'
import { scenarios as interruptExternalEvent } from './scenarios/interrupt-external-event.ts'
import { scenarios as isolation } from './scenarios/isolation.ts'
import { heartbeatRestart } from './scenarios/memory/heartbeats.ts'
import { memoryScenarios } from './scenarios/memory-index.ts'
import { scenarios as modelCacheKey } from './scenarios/model-cache-key.ts'
import { scenarios as multiNodeOrdering } from './scenarios/multi-node-ordering.ts'
import { scenarios as optionalReads } from './scenarios/optional-reads.ts'
import { scenarios as orchestrator } from './scenarios/orchestrator.ts'
import { scenarios as pauseResume } from './scenarios/pause-resume.ts'
import { scenarios as production } from './scenarios/production.ts'
import { scenarios as providerPolicy } from './scenarios/provider-policy.ts'
import { scenarios as redaction } from './scenarios/redaction.ts'
import { scenarios as replayFork } from './scenarios/replay-fork.ts'
import { scenarios as replaySideEffect } from './scenarios/replay-side-effect.ts'
import { scenarios as routeCoverage } from './scenarios/route-coverage.ts'
import { scenarios as runsLifecycle } from './scenarios/runs-lifecycle.ts'
import { scenarios as runtimeCapabilities } from './scenarios/runtime-capabilities.ts'
import { scenarios as scheduling } from './scenarios/scheduling.ts'
import { scenarios as streamModes } from './scenarios/stream-modes.ts'
import { scenarios as streamModesBuffer } from './scenarios/stream-modes-buffer.ts'
import { scenarios as streamReconnect } from './scenarios/stream-reconnect.ts'
import { v2Scenarios } from './scenarios/v2-index.ts'
import { scenarios as versionNegotiation } from './scenarios/version-negotiation.ts'
import { scenarios as webhookNegative } from './scenarios/webhook-negative.ts'
import { scenarios as webhookSignedDelivery } from './scenarios/webhook-signed-delivery.ts'
import { scenarios as workspace } from './scenarios/workspace.ts'

export const allScenarios: readonly Scenario[] = [
  discovery,
  discoveryShape,
  auth,
  runsLifecycle,
  eventOrdering,
  failurePath,
  errors,
  routeCoverage,
  idempotency,
  highConcurrency,
  interruptApproval,
  interruptClarification,
  interruptExternalEvent,
  streamModes,
  streamModesBuffer,
  streamReconnect,
  versionNegotiation,
  multiNodeOrdering,
  cancellation,
  bulkCancel,
  pauseResume,
  capBreach,
  configurableSchema,
  redaction,
  debugBundle,
  webhookNegative,
  webhookSignedDelivery,
  replayFork,
  replaySideEffect,
  modelCacheKey,
  byokRoundtrip,
  providerPolicy,
  runtimeCapabilities,
  agentInventory,
  agentRuntime,
  orchestrator,
  conversation,
  workspace,
  scheduling,
  isolation,
  optionalReads,
  memoryScenarios,
  heartbeatRestart,
  production,
  v2Scenarios,
].flat()

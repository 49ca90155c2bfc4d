// The memory scenarios: first those the OpenWOP suite publishes, then those its RFCs name and the suite does not have.
import type { Scenario } from '../harness.ts'
import { agentMemoryCrossRunTtl } from './memory/agent-memory-cross-run-ttl.ts'
import {
  agentMemoryCrossTenantIsolation,
  agentMemoryCrossTenantTwoTenants,
} from './memory/agent-memory-cross-tenant.ts'
import { agentMemoryParentChild } from './memory/agent-memory-parent-child.ts'
import { agentMemoryRedactionContract } from './memory/agent-memory-redaction-contract.ts'
import { agentMemoryRoundTrip } from './memory/agent-memory-round-trip.ts'
import { agentMemoryTtlExpiry } from './memory/agent-memory-ttl-expiry.ts'
import { commitmentScenarios } from './memory/commitments.ts'
import { distillationScenarios } from './memory/distillation.ts'
import { heartbeatScenarios } from './memory/heartbeats.ts'
import { memoryAttributionEmitsOnWrite } from './memory/memory-attribution-emits-on-write.ts'
import { memoryAttributionNoContent } from './memory/memory-attribution-no-content.ts'
import { memoryAttributionReplayStable } from './memory/memory-attribution-replay-stable.ts'
import { memoryAttributionShape } from './memory/memory-attribution-shape.ts'
import {
  memoryAttributionTenantScoped,
  memoryAttributionTwoTenants,
} from './memory/memory-attribution-tenant-scoped.ts'
import { memoryCapabilityModelShape } from './memory/memory-capability-model-shape.ts'
import { memoryCompactionEventEmitted } from './memory/memory-compaction-event-emitted.ts'
import { memoryCompactionProvenanceTag } from './memory/memory-compaction-provenance-tag.ts'
import { memoryCompactionSr1CarryForward } from './memory/memory-compaction-sr1-carry-forward.ts'
import {
  memoryConsolidationIdempotent,
  memoryConsolidationMerges,
  memoryConsolidationShape,
} from './memory/memory-consolidation.ts'
import { memoryDegradedProjection } from './memory/memory-degraded-projection.ts'
import { memoryInjectionBudget } from './memory/memory-injection-budget.ts'
import { memoryListSnapshot } from './memory/memory-list-snapshot.ts'
import { memoryPutRedaction } from './memory/memory-put-redaction.ts'
import { memoryTenantIsolation } from './memory/memory-tenant-isolation.ts'
import { memoryTtlExpiry } from './memory/memory-ttl-expiry.ts'
import { multiAgentMemoryConcurrencyClaim, multiAgentMemoryLifecycle } from './memory/multi-agent-memory-lifecycle.ts'
import { replayMemorySnapshot } from './memory/replay-memory-snapshot.ts'

export const memoryScenarios: readonly Scenario[] = [
  agentMemoryRoundTrip,
  agentMemoryCrossTenantIsolation,
  agentMemoryCrossTenantTwoTenants,
  agentMemoryRedactionContract,
  agentMemoryTtlExpiry,
  memoryInjectionBudget,
  memoryAttributionShape,
  memoryAttributionEmitsOnWrite,
  memoryAttributionNoContent,
  memoryAttributionTenantScoped,
  memoryAttributionTwoTenants,
  memoryAttributionReplayStable,
  memoryCapabilityModelShape,
  memoryDegradedProjection,
  memoryCompactionEventEmitted,
  memoryCompactionSr1CarryForward,
  memoryCompactionProvenanceTag,
  memoryConsolidationShape,
  memoryConsolidationIdempotent,
  memoryConsolidationMerges,
  ...distillationScenarios,
  ...commitmentScenarios,
  ...heartbeatScenarios,
  multiAgentMemoryConcurrencyClaim,
  multiAgentMemoryLifecycle,
  memoryListSnapshot,
  memoryPutRedaction,
  memoryTtlExpiry,
  memoryTenantIsolation,
  agentMemoryCrossRunTtl,
  replayMemorySnapshot,
  agentMemoryParentChild,
]

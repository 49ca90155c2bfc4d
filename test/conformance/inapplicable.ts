/**
 * What does not apply to this host, and why, in the words of the scenarios. Whatever else turns out to be inapplicable
 * fails the test: a scenario must not go missing because a claim was lost.
 */
export type Inapplicable = Readonly<Record<string, string>>

const notSeamed = 'conformance.seamsProfile is not advertised'
const notLive = 'agents.liveRuntime is not advertised'

/** A host without a model. conformance/agent-faults.long.test.ts runs these with one. */
const withoutModel: Inapplicable = {
  'agent-live-runtime-shape': notLive,
  'agent-live-invocation-bracket': notLive,
  'agent-live-structured-output': notLive,
  'agent-live-allowlist-enforced': notLive,
  'agent-live-replay': notLive,
}

export const onEveryStorage: Inapplicable = {
  ...withoutModel,
  // Optional parts of the protocol that this host does not have.
  'discovery.auth-scoped': 'discovery.authScoped is not advertised',
  'discovery.tiers': 'no capability carries a tier',
  'version-fold': 'testing.forceEngineVersionRange is not advertised',
  'redaction.providers-shape': 'aiProviders is not advertised',
  policies: 'aiProviders.policies is not advertised',
  'provider-policy-enforcement': 'aiProviders.policies is not advertised',
  'provider-usage': 'providerUsage.supported is not advertised',
  'cost-attribution': 'openwop-smoke-cost-emit is not seeded',
  'agent-inventory.unadvertised': 'agents.manifestRuntime is advertised',
  'cross-workspace-isolation': 'the host has no such seam',
  'stale-claim': 'production is not advertised',
  'idempotency-key-determinism': 'this checks the node packs bundled with a suite, and this suite bundles none',
  'v2-cors-preflight': 'the host grants no origin',
  // Only some answers of these seams are published, so the profile is not claimed.
  'v2-fork-a-v1-run': notSeamed,
  'v2-effect-identity-business-key': notSeamed,
  'v2-v1-signed-webhook-accepted': notSeamed,
  'v2-effect-seam-no-refire': notSeamed,
  // What a host without a capability must do, and this one has it.
  'pause-resume.unadvertised': 'pause is advertised',
  'route-coverage.unversioned': 'the host serves v2 there',
  'debug-bundle.unadvertised': 'debugBundle is advertised',
  'conversation-capability-negotiation': 'the host advertises all of them',
  // The limit is off here, because the suite itself would run into it; rate-limit.test.ts turns it on.
  'rate-limit-envelope': '200 calls at once did not reach a rate limit',
  // restart.test.ts restarts it.
  'heartbeat-restart': 'no way to restart the host was given (--restart)',
}

const notLongTerm = 'agents.memoryBackends does not hold long-term'

const notConsolidating = 'agents.memoryConsolidation.supported is not advertised'
const notCommitting = 'agents.commitments is not advertised'
const notBeating = 'heartbeat is not advertised'
const notScheduling = 'scheduling is not advertised'

const notCompacting = 'memory.compaction.supported is not advertised'

const notDistilling = 'memory.distillation.supported is not advertised'
const distillations = 'shape token-budget event stable-archive index-roundtrip secret-carryforward workflow'.split(' ')

/** Memory that ends with the process is not long-term, so the host does not claim it. */
export const withoutDurability: Inapplicable = {
  agentMemoryRoundTrip: notLongTerm,
  agentMemoryCrossTenantIsolation: notLongTerm,
  'agentMemoryCrossTenantIsolation-two-tenants': notLongTerm,
  agentMemoryRedactionContract: notLongTerm,
  agentMemoryTtlExpiry: notLongTerm,
  'commitment-shape': notCommitting,
  'commitment-fired': notCommitting,
  'commitment-fired-time': notCommitting,
  'commitment-fork': notCommitting,
  'heartbeat-shape': notBeating,
  'heartbeat-evaluated': notBeating,
  'heartbeat-state-changed': notBeating,
  'heartbeat-timeout': notBeating,
  'heartbeat-overlap': notBeating,
  'heartbeat-restart': notBeating,
  'scheduling-shape': notScheduling,
  'scheduling-single-tick': notScheduling,
  'scheduling-missed-window': notScheduling,
  'scheduling-horizon': notScheduling,
  'memory-compaction-event-emitted': notCompacting,
  'memory-compaction-sr1-carry-forward': notCompacting,
  'memory-compaction-provenance-tag': notCompacting,
  ...Object.fromEntries(distillations.map((name) => [`distillation-${name}`, notDistilling])),
  'memory-consolidation-shape': notConsolidating,
  'memory-consolidation-idempotent': notConsolidating,
  'memory-consolidation-merges': notConsolidating,
}

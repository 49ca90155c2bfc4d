import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HostFacts, hostMemory } from '../../app/capabilities.ts'
import { advertise, deriveProfiles } from './discovery.ts'

const facts: HostFacts = {
  version: '1.2.3',
  traits: { durable: true, sharedAcrossProcesses: false },
  store: { readable: true, writable: true },
  vaultOpen: true,
  bodyLimitBytes: 1_000,
  sendsWebhooks: true,
  hasSemanticSearch: false,
  hasModel: false,
  fixtures: [],
}

const readOnly: HostFacts = { ...facts, store: { readable: true, writable: false } }
const unreachable: HostFacts = { ...facts, store: { readable: false, writable: false } }

test('long-term memory is advertised only when it is durable and every secret can be redacted', () => {
  const offered = (given: HostFacts) => (advertise(given).agents as { memoryBackends?: string[] }).memoryBackends ?? []
  assert.deepEqual(offered(facts), ['long-term'])
  assert.deepEqual(offered({ ...facts, vaultOpen: false }), [])
  assert.deepEqual(offered({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } }), [])
})

test('compaction is advertised only when its output can be stored and redacted', () => {
  const offered = (given: HostFacts) => {
    const { compaction, maxEntrySizeBytes } = advertise(given).memory as Record<string, unknown>
    return { compaction, maxEntrySizeBytes }
  }
  const { compaction, maxEntrySizeBytes } = offered(facts)
  assert.deepEqual(compaction, {
    supported: true,
    trigger: 'both',
    maxInputEntries: 1_000,
    maxOutputBytes: maxEntrySizeBytes,
  })
  assert.equal(offered({ ...facts, vaultOpen: false }).compaction, undefined)
  assert.equal(offered({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } }).compaction, undefined)
})

test('distillation is advertised like compaction, with its budget and retention', () => {
  const offered = (given: HostFacts) => (advertise(given).memory as Record<string, unknown>).distillation
  assert.deepEqual(offered(facts), {
    supported: true,
    maxTokenBudget: 1_000_000,
    scheduled: true,
    indexEmitted: true,
    tokenizerName: 'chars-div-4',
    archiveRetention: 'P30D',
  })
  assert.equal(offered({ ...facts, vaultOpen: false }), undefined)
  assert.equal(offered({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } }), undefined)
})

test('a prompt budget is advertised only when reads are redacted', () => {
  const offered = (given: HostFacts) => (advertise(given).memory as Record<string, unknown>).injectionBudget
  assert.deepEqual(offered(facts), { supported: true, tokenCounter: 'host-defined' })
  assert.equal(offered({ ...facts, vaultOpen: false }), undefined)
})

test('profiles are derived from the discovery document', () => {
  assert.deepEqual(deriveProfiles(advertise(facts)), [
    'openwop-core',
    'openwop-interrupts',
    'openwop-stream-sse',
    'openwop-stream-poll',
    'openwop-core-standard',
    'openwop-memory',
    'openwop-secrets',
    'openwop-replay-fork',
  ])
  const without = (document: Record<string, unknown>) =>
    deriveProfiles(advertise(facts)).filter((profile) => !deriveProfiles(document).includes(profile))
  const needWrites = ['openwop-interrupts', 'openwop-core-standard', 'openwop-memory']
  assert.deepEqual(without(advertise({ ...facts, vaultOpen: false })), [
    ...needWrites,
    'openwop-secrets',
    'openwop-replay-fork',
  ])
  assert.deepEqual(without(advertise(readOnly)), [...needWrites, 'openwop-replay-fork'])
  assert.deepEqual(without({ ...advertise(facts), memory: { supported: true, writable: false } }), ['openwop-memory'])
  assert.deepEqual(without({ ...advertise(facts), replay: { supported: false } }), ['openwop-replay-fork'])
  assert.deepEqual(deriveProfiles({}), [])
})

test('a read-only host advertises no capability that writes', () => {
  const claimsOf = (given: HostFacts) => {
    const { memory, replay, runs, idempotency, webhooks, debugBundle } = advertise(given)
    const { supported, writable, attribution, compaction, search, retention, ttlSupported } = memory
    const { pauseResume, bulkCancel } = runs as Record<string, Record<string, unknown>>
    return {
      ...{ supported, writable, attribution, compaction, search, retention, ttlSupported },
      runClaims: [replay, pauseResume, bulkCancel, idempotency, webhooks].map((block) => block?.supported),
      bundle: debugBundle.supported,
    }
  }
  const { attribution, compaction, ...able } = claimsOf(facts)
  assert.deepEqual(attribution, { supported: true, emitsWriteEvents: true })
  assert.ok(compaction)
  assert.deepEqual(able, {
    supported: true,
    writable: true,
    search: { supported: true, modes: ['filter'] },
    retention: { ttl: true, forget: true },
    ttlSupported: true,
    runClaims: [true, true, true, true, true],
    bundle: true,
  })
  for (const given of [readOnly, { ...facts, vaultOpen: false }]) {
    assert.deepEqual(claimsOf(given), {
      supported: true,
      writable: false,
      attribution: undefined,
      compaction: undefined,
      search: { supported: true, modes: ['filter'] },
      retention: { ttl: true, forget: false },
      ttlSupported: true,
      runClaims: [false, false, false, false, false],
      bundle: true,
    })
  }
  const { supported, writable, search, retention, bundle } = claimsOf(unreachable)
  assert.deepEqual(
    [supported, writable, search, retention, bundle],
    [false, false, undefined, { ttl: false, forget: false }, false],
  )
})

test('the execution model and running agents are advertised where runs can be executed', () => {
  const { agents, multiAgent, orchestrator, dispatch, heartbeat } = advertise(facts)
  assert.deepEqual(heartbeat, { supported: true, minIntervalSec: 60, maxRuntimeMs: 5_000 })
  assert.deepEqual(agents.commitments, { supported: true, fireConditions: ['time', 'predicate'] })
  assert.deepEqual(agents.manifestRuntime, { supported: true, handoffValidation: true, installScope: 'tenant' })
  assert.equal(agents.supported, true)
  assert.ok(!('liveRuntime' in agents), 'a host without a model has no live agents')
  const { liveRuntime } = advertise({ ...facts, hasModel: true }).agents as { liveRuntime?: { supported: boolean } }
  assert.equal(liveRuntime?.supported, true)
  assert.deepEqual(advertise(readOnly).agents.manifestRuntime, { supported: false })
  assert.deepEqual([agents.orchestrator, agents.dispatch, agents.dispatchMapping], [true, true, true])
  assert.deepEqual(Object.keys(multiAgent ?? {}), ['executionModel'])
  assert.deepEqual([orchestrator.supported, dispatch.supported], [true, true])
  assert.equal(hostMemory(facts).replaySnapshot, true)
  assert.deepEqual(agents.memoryConsolidation, { supported: true, schedule: 'on-demand' })
  for (const fewer of [
    { ...facts, traits: { ...facts.traits, durable: false } },
    { ...facts, vaultOpen: false },
  ])
    assert.ok(!('memoryConsolidation' in advertise(fewer).agents))
  const closed = { ...facts, vaultOpen: false }
  const without = advertise(closed)
  assert.ok(!('multiAgent' in without) && !('orchestrator' in without.agents))
  assert.deepEqual([without.orchestrator, without.dispatch], [{ supported: false }, { supported: false }])
  assert.equal(hostMemory(closed).replaySnapshot, false)
})

test('families are at the root and mirrored under capabilities, fixtures too', () => {
  const { capabilities, ...root } = advertise({ ...facts, fixtures: ['conformance-noop'] })
  assert.deepEqual({ ...root, ...capabilities }, root)
  assert.deepEqual(capabilities.fixtures, ['conformance-noop'])
  assert.ok(!('fixtures' in advertise(facts)) && !('fixtures' in advertise(facts).capabilities))
})

test('the advertised search modes are those that work', () => {
  const searchOf = (given: HostFacts) => (advertise(given).memory as { search: unknown }).search
  assert.deepEqual(searchOf(facts), { supported: true, modes: ['filter'] })
  assert.deepEqual(searchOf({ ...facts, hasSemanticSearch: true }), { supported: true, modes: ['filter', 'semantic'] })
})

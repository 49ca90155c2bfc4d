import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostFacts } from '../../app/capabilities.ts'
import { advertise, deriveProfiles } from './discovery.ts'

const facts: HostFacts = {
  version: '1.2.3',
  traits: { durable: true, sharedAcrossProcesses: false },
  vaultOpen: true,
  bodyLimitBytes: 1_000,
  sendsWebhooks: true,
  hasSemanticSearch: false,
  fixtures: [],
}

test('long-term memory is offered only when it is durable and every secret can be redacted', () => {
  const offered = (given: HostFacts) => (advertise(given).agents as { memoryBackends?: string[] }).memoryBackends ?? []
  assert.deepEqual(offered(facts), ['long-term'])
  assert.deepEqual(offered({ ...facts, vaultOpen: false }), [])
  assert.deepEqual(offered({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } }), [])
})

test('compaction is offered only where its output can be kept and redacted', () => {
  const offered = (given: HostFacts) => {
    const { compaction, maxEntrySizeBytes } = advertise(given).memory as Record<string, unknown>
    return { compaction, maxEntrySizeBytes }
  }
  const { compaction, maxEntrySizeBytes } = offered(facts)
  assert.deepEqual(compaction, {
    supported: true,
    trigger: 'host-managed',
    maxInputEntries: 1_000,
    maxOutputBytes: maxEntrySizeBytes,
  })
  assert.equal(offered({ ...facts, vaultOpen: false }).compaction, undefined)
  assert.equal(offered({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } }).compaction, undefined)
})

test('a budget for prompts is offered only where what is read is redacted', () => {
  const offered = (given: HostFacts) => (advertise(given).memory as Record<string, unknown>).injectionBudget
  assert.deepEqual(offered(facts), { supported: true, tokenCounter: 'host-defined' })
  assert.equal(offered({ ...facts, vaultOpen: false }), undefined)
})

test('profiles follow from the document', () => {
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
  assert.deepEqual(without(advertise({ ...facts, vaultOpen: false })), ['openwop-memory', 'openwop-secrets'])
  assert.deepEqual(without({ ...advertise(facts), memory: { supported: true, writable: false } }), ['openwop-memory'])
  assert.deepEqual(without({ ...advertise(facts), replay: { supported: false } }), ['openwop-replay-fork'])
  assert.deepEqual(deriveProfiles({}), [])
})

test('families stand at the root and are mirrored as they are', () => {
  const { capabilities, ...root } = advertise(facts)
  assert.deepEqual({ ...root, ...capabilities }, root)
})

test('search is offered by what really works', () => {
  const { search } = advertise(facts).memory as { search: unknown }
  assert.deepEqual(search, { supported: true, modes: ['filter'] })
})

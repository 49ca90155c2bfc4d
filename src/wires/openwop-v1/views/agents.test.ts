import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HostFacts } from '../../../app/capabilities.ts'
import { type AgentManifest, parseManifest } from '../../../core/agents/agent.ts'
import { degradedDimensions, type HostCapabilities, refuseUnmetPeers } from '../../../core/agents/agent-requirements.ts'
import { type HostMemory, hasDimension, memoryDimensions } from '../../../core/entries/memory-dimensions.ts'
import { isColophonError } from '../../../core/errors.ts'
import { hostOffer } from '../discovery.ts'
import { toInventoryEntry } from './agents.ts'

const able: HostMemory = {
  read: true,
  write: true,
  longTerm: true,
  scratchpad: true,
  conversation: true,
  search: ['semantic', 'filter'],
  compaction: true,
  consolidation: true,
  attribution: true,
  replaySnapshot: true,
  ttl: true,
  forget: true,
}
const unable: HostMemory = {
  read: false,
  write: false,
  longTerm: false,
  scratchpad: false,
  conversation: false,
  search: [],
  compaction: false,
  consolidation: false,
  attribution: false,
  replaySnapshot: false,
  ttl: false,
  forget: false,
}

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
const working = hostOffer(facts)
const forgetful = hostOffer({ ...facts, traits: { durable: false, sharedAcrossProcesses: false } })
const dead = hostOffer({ ...facts, store: { readable: false, writable: false }, vaultOpen: false })
/** A host with this memory. Its other capabilities do not matter. */
const having = (memory: HostMemory): HostCapabilities => ({ memory, document: {} })

const least: AgentManifest = {
  agentId: 'local.team.concierge',
  persona: 'Concierge',
  modelClass: 'general',
  systemPrompt: 'A prompt that is never shown.',
}
const backends = 'openwop.agents.memoryBackends'

const flag = fc.boolean()
const hosts: fc.Arbitrary<HostMemory> = fc.record({
  read: flag,
  write: flag,
  longTerm: flag,
  scratchpad: flag,
  conversation: flag,
  search: fc.subarray(['semantic', 'filter'] as const),
  compaction: flag,
  consolidation: flag,
  attribution: flag,
  replaySnapshot: flag,
  ttl: flag,
  forget: flag,
})
const shapes = fc.record({ scratchpad: flag, conversation: flag, longTerm: flag }, { requiredKeys: [] })

const required = ['agentId', 'persona', 'label', 'modelClass', 'packName', 'packVersion', 'toolAllowlist']
const known = [
  ...required,
  'hasHandoffSchemas',
  ...['description', 'memoryShape', 'confidenceThreshold', 'degraded', 'memoryDegraded', 'degradedMemoryDimensions'],
]

test('there are eight memory dimensions, and a host has all, none, or some', () => {
  assert.equal(memoryDimensions.length, 8)
  for (const dimension of memoryDimensions) {
    assert.ok(hasDimension(able, dimension), dimension)
    assert.ok(!hasDimension(unable, dimension), dimension)
  }
  assert.ok(!hasDimension({ ...able, read: false }, 'write'), 'what cannot be read was not written')
  assert.ok(hasDimension({ ...unable, ttl: true }, 'retention'))
  assert.ok(hasDimension({ ...unable, forget: true }, 'retention'))
})

test('an inventory entry shows the declared members and the pack', () => {
  assert.deepEqual(toInventoryEntry(least, working), {
    agentId: 'local.team.concierge',
    persona: 'Concierge',
    label: 'Concierge',
    modelClass: 'general',
    packName: 'colophon.local',
    packVersion: '1.0.0',
    toolAllowlist: [],
    hasHandoffSchemas: false,
  })
  const more = toInventoryEntry(
    {
      ...least,
      label: 'C',
      description: 'd',
      toolAllowlist: ['mcp:x'],
      handoff: { returnSchemaRef: 'r' },
      memoryShape: { longTerm: false },
      confidence: { defaultThreshold: 0 },
    },
    dead,
  )
  assert.deepEqual(
    [more.label, more.description, more.toolAllowlist, more.hasHandoffSchemas, more.memoryShape],
    ['C', 'd', ['mcp:x'], true, { longTerm: false }],
  )
  assert.equal(more.confidenceThreshold, 0)
  assert.ok(!('memoryDegraded' in more), 'only true asks for memory')
})

test('each kind of memory needs its dimensions', () => {
  const cases: [AgentManifest['memoryShape'], Partial<HostMemory>, string[]][] = [
    [{ longTerm: true }, {}, []],
    [{ longTerm: true }, { longTerm: false }, ['long-term-durability']],
    [{ longTerm: true }, { scratchpad: false, conversation: false }, []],
    [{ longTerm: true }, { write: false }, ['write']],
    [{ longTerm: true }, { write: false, longTerm: false }, ['write', 'long-term-durability']],
    [{ longTerm: true }, { read: false }, ['read', 'write']],
    [{ scratchpad: true }, { scratchpad: false }, ['read', 'write']],
    [{ conversation: true }, { conversation: false }, ['read', 'write']],
    [{ conversation: true }, { scratchpad: false, longTerm: false }, []],
    [{ scratchpad: true }, { write: false }, ['write']],
    [{ scratchpad: true, longTerm: true }, { read: false, longTerm: false }, ['read', 'write', 'long-term-durability']],
    [{ scratchpad: false, conversation: false, longTerm: false }, unable, []],
    [{}, unable, []],
    [undefined, unable, []],
  ]
  for (const [shape, lacks, expected] of cases) {
    assert.deepEqual(degradedDimensions(shape, { ...able, ...lacks }), expected, JSON.stringify([shape, lacks]))
  }
})

test('for any request and any host: an entry is degraded exactly when a requested dimension is missing', () => {
  fc.assert(
    fc.property(shapes, hosts, fc.constantFrom<Partial<AgentManifest>>({}, { handoff: {} }), (shape, host, more) => {
      const entry = toInventoryEntry({ ...least, ...more, memoryShape: shape }, having(host))
      assert.deepEqual(
        Object.keys(entry).filter((member) => !known.includes(member)),
        [],
      )
      for (const member of required) assert.ok(member in entry, member)
      assert.ok(!JSON.stringify(entry).includes('never shown'))
      const notes = (shape.scratchpad && !host.scratchpad) || (shape.conversation && !host.conversation)
      const any = shape.scratchpad || shape.conversation || shape.longTerm
      const lacks = Boolean((shape.longTerm && !host.longTerm) || notes || (any && !(host.read && host.write)))
      assert.equal(entry.memoryDegraded === true, lacks)
      const dimensions = entry.degradedMemoryDimensions ?? []
      assert.equal(dimensions.length > 0, lacks)
      assert.equal('degradedMemoryDimensions' in entry, lacks)
      assert.equal(new Set(dimensions).size, dimensions.length)
      for (const dimension of dimensions) assert.ok(memoryDimensions.includes(dimension))
    }),
  )
})

test('capabilities that the document does not advertise are listed once', () => {
  const manifest = { ...least, requiresCapabilities: ['memory.search', 'host.voice', 'toString', 'memory'] }
  assert.deepEqual(toInventoryEntry(manifest, working).degraded, ['host.voice', 'toString'])
  assert.deepEqual(toInventoryEntry(manifest, dead).degraded, manifest.requiresCapabilities)
  assert.ok(!('degraded' in toInventoryEntry({ ...least, requiresCapabilities: ['capabilities.memory'] }, working)))
  const twice = {
    ...least,
    requiresCapabilities: [backends],
    peerDependencies: { [backends]: '>=longTerm' },
    peerDependenciesMeta: { [backends]: { optional: true } },
  }
  assert.deepEqual(toInventoryEntry(twice, forgetful).degraded, [backends])
  assert.ok(!('degraded' in toInventoryEntry(twice, working)))
})

test('capabilities are compared with the discovery document', () => {
  const { document } = working
  const names = ['replay', 'webhooks', 'replay.modes.branch', 'x-host-colophon-memory-query', 'secrets.scopes.user']
  for (const name of names)
    assert.ok(!('degraded' in toInventoryEntry({ ...least, requiresCapabilities: [name] }, working)))
  const absent = ['agents.liveRuntime', 'multiAgent.crossHost', 'memory.search.modes.semantic', 'memory.dreams']
  assert.deepEqual(toInventoryEntry({ ...least, requiresCapabilities: absent }, working).degraded, absent)
  const more = {
    memory: working.memory,
    document: { ...document, multiAgent: { executionModel: { supported: true, version: 2 }, crossHost: true } },
  }
  refuseUnmetPeers({ ...least, peerDependencies: { 'openwop.multiAgent.executionModel': '>=2' } }, more.document)
  assert.deepEqual(toInventoryEntry({ ...least, requiresCapabilities: absent }, more).degraded, absent.toSpliced(1, 1))
})

test('a missing required peer dependency refuses the agent; a missing optional one degrades it', () => {
  const needs = (range: string, name = backends, meta?: { optional?: boolean }) =>
    parseManifest({
      ...least,
      peerDependencies: { [name]: range },
      ...(meta ? { peerDependenciesMeta: { [name]: meta } } : {}),
    })
  for (const range of ['>=longTerm', '>=long-term', 'long-term', 'longTerm', '>= longTerm', '*']) {
    refuseUnmetPeers(needs(range), working.document)
    assert.ok(!('degraded' in toInventoryEntry(needs(range), working)))
  }
  const refusals: [AgentManifest, HostCapabilities][] = [
    [needs('>=longTerm'), forgetful],
    [needs('>=vector'), working],
    [needs('>=1.0.0', 'vendor.acme.thing'), working],
    [needs('*', 'constructor'), working],
    [needs('>=longTerm', backends, { optional: false }), dead],
    [needs('>=longTerm', backends, {}), dead],
  ]
  for (const [manifest, host] of refusals) {
    const [name = ''] = Object.keys(manifest.peerDependencies ?? {})
    assert.throws(
      () => refuseUnmetPeers(manifest, host.document),
      (error) => isColophonError(error, 'pack_validation_failed') && error.message.includes(name),
    )
    const optional = { ...manifest, peerDependenciesMeta: { [name]: { optional: true } } }
    refuseUnmetPeers(optional, host.document)
    assert.deepEqual(toInventoryEntry(optional, host).degraded, [name])
  }
})

test('peerDependenciesMeta alone requests a capability only when it is optional', () => {
  const remark = (optional: boolean) => ({ ...least, peerDependenciesMeta: { 'vendor.x': { optional } } })
  for (const optional of [true, false]) refuseUnmetPeers(remark(optional), working.document)
  assert.deepEqual(toInventoryEntry(remark(true), working).degraded, ['vendor.x'])
  assert.ok(!('degraded' in toInventoryEntry(remark(false), working)))
})

test('a capability that is lost after installation is listed as degraded', () => {
  const manifest = { ...least, peerDependencies: { [backends]: '>=longTerm' } }
  assert.deepEqual(toInventoryEntry(manifest, forgetful).degraded, [backends])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAdvertised, isInRange } from './advertised-capabilities.ts'

const document = {
  protocolVersion: '1.10',
  engineVersion: 2,
  runtimeCapabilities: ['vendor.acme.ocr'],
  memory: { supported: true, writable: false, ttlSupported: true, retention: { ttl: true, forget: false } },
  agents: { memoryBackends: ['long-term'], manifestRuntime: { supported: false, installScope: 'tenant' } },
  replay: { supported: true, modes: ['replay'] },
  webhooks: { supported: false, signatureAlgorithms: ['v1'] },
  empty: {},
  none: [],
  multiAgent: { executionModel: { supported: true, version: 2 } },
}

test('a capability is advertised when the document says so at its path', () => {
  const advertised = [
    'memory',
    'openwop.memory',
    'capabilities.memory.ttlSupported',
    'memory.retention',
    'memory.retention.ttl',
    'agents',
    'agents.memoryBackends',
    'agents.memoryBackends.long-term',
    'replay.modes.replay',
    'host.replay',
    'vendor.acme.ocr',
    'protocolVersion',
  ]
  assert.deepEqual(
    advertised.filter((name) => !isAdvertised(name, document)),
    [],
  )
  const notAdvertised = [
    'memory.writable',
    'memory.retention.forget',
    'memory.search',
    'agents.manifestRuntime',
    'replay.modes.branch',
    'webhooks',
    'empty',
    'none',
    'constructor',
    'memory.toString',
    'memory.supported.length',
    'vendor.acme',
    '',
  ]
  assert.deepEqual(
    notAdvertised.filter((name) => isAdvertised(name, document)),
    [],
  )
})

test('a capability in a block that is not supported is not advertised', () => {
  assert.ok(!isAdvertised('agents.manifestRuntime.installScope', document))
  assert.ok(!isAdvertised('webhooks.signatureAlgorithms', document))
  assert.ok(!isInRange('webhooks.signatureAlgorithms', 'v1', document))
})

test('a range matches an item of a list, a version, or any value', () => {
  const met: [string, string][] = [
    ['agents.memoryBackends', '>=longTerm'],
    ['agents.memoryBackends', 'long-term'],
    ['agents.memoryBackends', ' * '],
    ['protocolVersion', '>=1.9'],
    ['protocolVersion', '1.10'],
    ['engineVersion', '>=2'],
    ['engineVersion', '=2.0'],
    ['multiAgent.executionModel', '>=1'],
    ['vendor.acme.ocr', '*'],
  ]
  assert.deepEqual(
    met.filter(([name, range]) => !isInRange(name, range, document)),
    [],
  )
  const unmet: [string, string][] = [
    ['agents.memoryBackends', '>=vector'],
    ['agents.memoryBackends', ''],
    ['protocolVersion', '>=1.11'],
    ['protocolVersion', '1.1'],
    ['engineVersion', '>=3'],
    ['engineVersion', '<3'],
    ['multiAgent.executionModel', '>=3'],
    ['agents.manifestRuntime', '*'],
    ['constructor', '*'],
    ['vendor.acme.thing', '>=1.0.0'],
  ]
  assert.deepEqual(
    unmet.filter(([name, range]) => isInRange(name, range, document)),
    [],
  )
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { HostFacts } from '../../app/capabilities.ts'
import { advertise } from '../openwop-v1/discovery.ts'
import { advertiseV2, type Mounted } from './discovery.ts'
import { CapabilitiesV2 } from './schemas/discovery.ts'

const facts: HostFacts = {
  version: '1.2.3',
  traits: { durable: true } as HostFacts['traits'],
  store: { readable: true, writable: true },
  vaultOpen: true,
  bodyLimitBytes: 1_000_000,
  sendsWebhooks: true,
  hasSemanticSearch: true,
  hasModel: false,
  fixtures: ['conformance-noop'],
}
const everything: Mounted = { serves: () => true, webhookAttemptsMax: 8 }
const document = advertiseV2(facts, everything)
const read = (folder: string, name: string) => JSON.parse(readFileSync(`${folder}${name}`, 'utf8'))

test('the document fits its closed schema, and no other key does', () => {
  CapabilitiesV2.parse(document)
  for (const key of [
    'unknown',
    'host.replay',
    'capabilities',
    'profiles',
    'supportedTransports',
    'debugBundle',
    'runs',
    // The construction of the protocol is another one: the checkpoints here are those of this host.
    'auditLogIntegrity',
  ])
    assert.equal(CapabilitiesV2.safeParse({ ...document, [key]: {} }).success, false, key)
  for (const [name, family] of Object.entries(document)) {
    if (family === null || typeof family !== 'object' || !('witness' in family)) continue
    assert.equal(CapabilitiesV2.safeParse({ ...document, [name]: { ...family, supported: true } }).success, false, name)
    const { until: _until, ...endless } = family as Record<string, unknown>
    assert.equal(CapabilitiesV2.safeParse({ ...document, [name]: endless }).success, name === 'limits', name)
  }
  assert.ok(!JSON.stringify(document).includes('"supported"'))
})

test('the document fits the published schema', (t) => {
  const folder = fileURLToPath(new URL('../../../../shared/openwop/schemas-v2/', import.meta.url))
  if (!existsSync(folder)) return t.skip('the published schemas are not here')
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  for (const name of ['ids', 'configurable']) ajv.addSchema(read(folder, `${name}.schema.json`))
  const validate = ajv.compile(read(folder, 'capabilities.subset.schema.json'))
  for (const shown of [document, advertiseV2(facts, { ...everything, serves: () => false }), readOnly()])
    assert.ok(validate(shown), ajv.errorsText(validate.errors))
})

const readOnly = () => advertiseV2({ ...facts, store: { readable: true, writable: false } }, everything)

test('memory has the facets that version 1 has', () => {
  const v1 = advertise(facts).memory as Record<string, unknown>
  const { status, since, until, witness, ...facets } = document.memory as Record<string, unknown>
  assert.deepEqual([status, since, until, witness], ['experimental', '2.0', '2.1', 'witnessable-gated'])
  assert.deepEqual(
    Object.keys(facets).sort(),
    Object.keys(v1)
      .filter((name) => name !== 'supported')
      .sort(),
  )
  assert.deepEqual(facets.search, { modes: ['filter', 'semantic'] })
  assert.deepEqual(facets.attribution, { emitsWriteEvents: true })
})

test('agents are dispatched, and handoffs checked, where version 1 says so', () => {
  const facet = (agents: unknown) => (agents as { manifestRuntime?: unknown }).manifestRuntime
  const { supported, ...claimed } = facet(advertise(facts).agents) as { supported: boolean }
  assert.ok(supported)
  assert.deepEqual(facet(document.agents), claimed)
  assert.equal(facet(readOnly().agents), undefined, 'nothing is run where nothing is written')
})

test('a family is claimed only if its operations are served and version 1 claims it', () => {
  const families = (shown: object) => Object.keys(shown).filter((name) => name in document)
  const none = families(advertiseV2(facts, { ...everything, serves: () => false }))
  const runs = ['eventLog', 'idempotency', 'interrupt', 'replay', 'webhooks', 'runList', 'memory', 'subWorkflow']
  for (const name of [...runs, 'agents']) assert.ok(!none.includes(name), name)
  const onlyRead = families(readOnly())
  for (const name of ['eventLog', 'interrupt', 'replay', 'webhooks']) assert.ok(!onlyRead.includes(name), name)
  assert.equal(readOnly().memory?.writable, false)
  assert.equal(advertiseV2({ ...facts, store: { readable: false, writable: false } }, everything).memory, undefined)
  assert.equal(advertiseV2({ ...facts, sendsWebhooks: false }, everything).webhooks, undefined)
})

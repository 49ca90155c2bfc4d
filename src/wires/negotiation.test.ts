import assert from 'node:assert/strict'
import { test } from 'node:test'
import { negotiate, placeOf, preferredVersion, protocolVersions } from './negotiation.ts'

test('the preferred version is one of the list, and 1.x while there is one', () => {
  for (const version of protocolVersions) assert.match(version, /^(0|[1-9]\d*)\.(0|[1-9]\d*)$/)
  assert.ok(protocolVersions.includes(preferredVersion))
  if (protocolVersions.some((version) => version.startsWith('1.'))) assert.match(preferredVersion, /^1\./)
})

test('paths of the protocol have a place, and all others have none', () => {
  const places = {
    v1: ['/v1/runs', '/v1/runs/a/events?x=1', '/v1/runs:bulk-cancel', '/v1/openapi.json', '/v1/audit/verify'],
    v2: ['/runs', '/runs?limit=1', '/runs/a~2Fb:fork', '/openapi.json', '/host/effect-seams', '/prompts', '/tools/x'],
    discovery: ['/.well-known/openwop', '/.well-known/openwop?probe=1'],
  }
  for (const [place, paths] of Object.entries(places))
    for (const path of paths) assert.equal(placeOf(path), place, path)
  const outside = ['/', '/v1/host/colophon/runs', '/v1/memories/add', '/v1/memory/x', '/v1/tenant/settings', '/runsx']
  const more = ['/v2/runs', '/host/colophon/x', '/console/runs', '/metrics', '/mcp', '/docs', '/v1/test/memory/seed']
  for (const path of [...outside, ...more]) assert.equal(placeOf(path), null, path)
})

test('the major version of the header decides', () => {
  const at = (place: 'v1' | 'v2' | 'discovery', header?: string) => {
    const { version, refusal } = negotiate(place, header)
    return refusal === undefined ? version : `${version} ${refusal.status} ${refusal.code}`
  }
  for (const [place, version] of [
    ['v1', '1.0'],
    ['v2', '2.0'],
    ['discovery', '1.0'],
  ] as const)
    assert.equal(at(place), version)
  for (const header of ['2', '2.0', '2.7']) {
    assert.equal(at('v2', header), '2.0', header)
    assert.equal(at('discovery', header), '2.0', header)
    assert.equal(at('v1', header), '2.0 400 protocol_version_mismatch', header)
  }
  for (const header of ['1', '1.0', '1.9']) {
    assert.equal(at('v1', header), '1.0', header)
    assert.equal(at('discovery', header), '1.0', header)
    assert.equal(at('v2', header), '1.0 404 not_found', header)
  }
  for (const header of ['3', '0.1', '20']) {
    assert.equal(at('v1', header), '1.0 406 protocol_version_unsupported', header)
    assert.equal(at('v2', header), '2.0 406 protocol_version_unsupported', header)
    assert.equal(at('discovery', header), '1.0 406 protocol_version_unsupported', header)
  }
  for (const header of ['', 'two', '2.', '02', '2, 1', '2.0.0', 'v2']) {
    assert.equal(at('v2', header), '2.0 400 validation_error', header)
    assert.equal(at('v1', header), '1.0 400 protocol_version_mismatch', header)
  }
})

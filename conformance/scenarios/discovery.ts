// The discovery document and the OpenAPI document: the two things a host serves without credentials.
import { asArray, at, type Check, isObject } from '../harness.ts'
import { scenario } from '../support.ts'

const facts = 'core 26.1'
const path = '/.well-known/openwop'
const requiredFields = ['protocolVersion', 'supportedEnvelopes', 'schemaVersions', 'limits']

const fetchIt = (check: Check, headers: Record<string, string> = {}) =>
  check.http('GET', path, { auth: 'none', headers })

export const scenarios = [
  scenario(
    'discovery.document',
    facts,
    'The document is public, cacheable and has the required fields',
    async (check) => {
      const answer = await fetchIt(check)
      check.equal(answer.status, 200, `GET ${path}`)
      check.matches(answer.headers.get('content-type'), /^application\/json/, 'its content type')
      check.ok(answer.headers.get('cache-control'), 'it has a Cache-Control header')
      for (const field of requiredFields) check.ok(answer.body[field] !== undefined, `${field} is there`)
      check.ok(Array.isArray(answer.body.supportedEnvelopes), 'supportedEnvelopes is an array')
      check.ok(isObject(answer.body.schemaVersions), 'schemaVersions is an object')
      check.published('capabilities', answer.json, 'the discovery document')
    },
  ),

  scenario('discovery.limits', facts, 'The three base limits are numbers from zero up', async (check) => {
    for (const limit of ['clarificationRounds', 'schemaRounds', 'envelopesPerTurn']) {
      const value = at(check.discovery, 'limits', limit)
      check.ok(typeof value === 'number' && value >= 0, `limits.${limit} is a number ≥ 0, not ${String(value)}`)
    }
  }),

  scenario('discovery.etag', facts, 'An ETag, where there is one, answers If-None-Match with 304', async (check) => {
    const first = await fetchIt(check)
    const second = await fetchIt(check)
    const etag = first.headers.get('etag')
    const legacy = first.headers.get('capabilities-etag')
    if (etag === null && legacy === null) check.inapplicable('the host sends no ETag')
    if (etag !== null)
      check.equal((await fetchIt(check, { 'If-None-Match': etag })).status, 304, 'a matching If-None-Match')
    if (legacy !== null) {
      check.ok(legacy !== '', 'Capabilities-Etag is not empty')
      check.equal(second.headers.get('capabilities-etag'), legacy, 'Capabilities-Etag of two calls')
    }
  }),

  scenario('discovery.stable', 'core 2.6', 'The document keeps its shape from call to call', async (check) => {
    const later = (await fetchIt(check)).body
    check.equal(Object.keys(later).sort(), Object.keys(check.discovery).sort(), 'the families of a later call')
    for (const field of requiredFields) check.equal(later[field], check.discovery[field], `${field} of a later call`)
  }),

  scenario('discovery.fixtures', facts, 'fixtures is a list of unique names', async (check) => {
    const { fixtures } = check.discovery
    if (fixtures === undefined) check.inapplicable('the host advertises no fixtures')
    check.ok(Array.isArray(fixtures), 'fixtures is an array')
    const names = asArray(fixtures)
    check.ok(
      names.every((name) => typeof name === 'string' && name !== ''),
      'every fixture is a non-empty text',
    )
    check.equal(new Set(names).size, names.length, 'the number of different fixtures')
  }),

  scenario('discovery.openapi', facts, 'The OpenAPI document is public and of version 3.1 or later', async (check) => {
    const answer = await check.http('GET', '/v1/openapi.json', { auth: 'none' })
    check.equal(answer.status, 200, 'GET /v1/openapi.json')
    check.matches(answer.body.openapi, /^3\.[1-9]/, 'openapi')
  }),

  scenario('discovery.auth-scoped', facts, 'A weaker key sees no more families than a stronger one', async (check) => {
    const scoped = at(check.discovery, 'discovery', 'authScoped')
    if (at(scoped, 'supported') !== true) check.inapplicable('discovery.authScoped is not advertised')
    const weakKey = check.target.lowScopeKey
    if (weakKey === null) return check.blocked('needs a key with fewer scopes (--low-scope-key)')
    const endpoint = at(scoped, 'mode') === 'extension-endpoint' ? String(at(scoped, 'endpointPath')) : path
    const strong = await check.http('GET', endpoint)
    const weak = await check.http('GET', endpoint, { auth: weakKey })
    check.equal(strong.status, 200, 'the view of the stronger key')
    check.equal(weak.status, 200, 'the view of the weaker key')
    for (const view of [strong, weak])
      for (const field of requiredFields) check.ok(view.body[field] !== undefined, `${field} stays in the scoped view`)
    const more = Object.keys(weak.body).filter((family) => !(family in strong.body))
    check.equal(more, [], 'families that only the weaker key sees')
  }),
]

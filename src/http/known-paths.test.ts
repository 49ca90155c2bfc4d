import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { KnownPaths } from './known-paths.ts'
import type { App } from './route-context.ts'

function knownPaths(): KnownPaths {
  const app = Fastify() as unknown as App
  const known = new KnownPaths()
  known.watch(app)
  const add = (method: string, url: string) =>
    app.route({ method, url, config: { access: 'key' }, handler: async () => ({}) })
  add('GET', '/v1/memory/:ref/entries')
  add('POST', '/v1/memory/:ref/entries')
  add('POST', '/v1/memory/:ref/entries::batch')
  add('GET', '/v1/memory/:ref/entries/:id')
  add('POST', '/v1/memory/:ref/entries/:id::release')
  app.route({ method: 'GET', url: '/page', handler: async () => ({}) })
  return known
}

test('a known path names its methods', () => {
  const known = knownPaths()
  assert.deepEqual(known.refuse('PUT', '/v1/memory/a/entries?limit=1').details, { allowed: ['GET', 'HEAD', 'POST'] })
  assert.deepEqual(known.refuse('GET', '/v1/memory/a/entries:batch').details, { allowed: ['POST'] })
  assert.equal(known.refuse('GET', '/v1/memory/a/entries:merge').code, 'not_found')
  assert.deepEqual(known.refuse('PATCH', '/v1/memory/a/entries/x:release').details.allowed, ['GET', 'HEAD', 'POST'])
  assert.equal(known.refuse('PUT', '/page').code, 'not_found')
})

test('a parameter with a slash is named, if the method has a path with it', () => {
  const known = knownPaths()
  assert.equal(known.refuse('GET', '/v1/memory/a/b/entries').details.field, 'ref')
  assert.equal(known.refuse('GET', '/v1/memory/a/entries/x/y').details.field, 'id')
  assert.equal(known.refuse('DELETE', '/v1/memory/a/b/entries').details.field, undefined)
  assert.equal(known.refuse('GET', '/elsewhere').details.field, undefined)
})

test('a path of very many segments is refused like any other', () => {
  const known = knownPaths()
  assert.equal(known.refuse('GET', `/v1/memory${'/entries'.repeat(2_000)}`).details.field, 'ref')
  assert.equal(known.refuse('GET', '/'.repeat(16_000)).code, 'not_found')
})

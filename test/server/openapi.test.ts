import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../support/server.ts'

const publicPaths = ['/healthz', '/readyz', '/metrics', '/.well-known/openwop', '/v1/openapi.json']

type Media = Record<string, { schema?: unknown }>
type Operation = {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Media }
  responses: Record<string, { content?: Media }>
  security?: unknown[]
}
type OpenApi = { openapi: string; info: { version: string }; paths: Record<string, Record<string, Operation>> }

describe('the OpenAPI document', () => {
  let server: TestServer
  let document: OpenApi
  let operations: { method: string; path: string; operation: Operation }[]
  before(async () => {
    server = await startServer()
    document = (await server.as(null)('GET', '/v1/openapi.json')).body
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
  })
  after(() => server[Symbol.asyncDispose]())

  test('is served as OpenAPI 3.1, without a key', () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.match(document.info.version, /^\d+\.\d+\.\d+/)
    assert.ok(operations.length >= 25, `${operations.length} operations`)
  })

  test('has every path of the contract', () => {
    const host = '/v1/host/colophon'
    const paths = [
      ...[
        'tenants',
        'memory',
        'changes',
        'secrets',
        'keys',
        'rules',
        'rules:test',
        'audit',
        'workflows',
        'runs',
        'agents',
      ].map((name) => `${host}/${name}`),
      ...['', ':batch', '/{id}', '/{id}/colophon'].map((rest) => `${host}/memory/{ref}/entries${rest}`),
      ...[`${host}/secrets/{id}`, `${host}/rules/{id}`, `${host}/keys/{id}`, `${host}/keys/{id}:rotate`],
      ...[
        `${host}/tenants/{id}:disable`,
        `${host}/tenants/{id}:enable`,
        '/v1/memory/{ref}',
        '/v1/audit/verify',
        '/v1/tenant/settings',
        '/v1/workflows/{workflowId}',
        '/v1/runs',
        '/v1/runs:bulk-cancel',
        '/v1/agents',
        '/v1/agents/{agentId}',
        '/v1/webhooks',
        '/v1/webhooks/{webhookId}',
        '/v1/interrupts/{token}',
        `${host}/runs/{runId}/reads`,
        ...['', '/events', '/events/poll', '/cancel', ':fork', ':pause', ':resume', '/debug-bundle'].map(
          (rest) => `/v1/runs/{runId}${rest}`,
        ),
        '/v1/runs/{runId}/interrupts/{nodeId}',
        '/v1/runs/{runId}/artifacts/{artifactId}',
      ],
    ]
    assert.deepEqual(
      paths.filter((path) => !(path in document.paths)),
      [],
    )
  })

  test('has only operations that need a key', async () => {
    for (const { method, path } of operations) {
      // The token in the path is the key there.
      if (publicPaths.includes(path) || path === '/v1/interrupts/{token}') continue
      // A receipt can be verified with a key of this tenant or without a key.
      if (path === '/v1/host/colophon/signing-key') continue
      const real = path.replaceAll(/\{[^}]+\}/g, 'x')
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined
      const { status, text } = await server.as(null)(method, real, body)
      assert.equal(status, 401, `${method} ${real}: ${text}`)
    }
  })

  test('has the shape of every body, response and parameter', () => {
    const missing = operations.flatMap(({ method, path, operation }) => {
      if (publicPaths.includes(path)) return []
      const { requestBody, responses, parameters = [] } = operation
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      const known = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      const isDescribed = success.some(
        ([status, { content }]) => status === '204' || Object.values(content ?? {}).some(({ schema }) => schema),
      )
      const needsBody = ['PUT', 'PATCH'].includes(method) && !requestBody?.content['application/json']?.schema
      return [
        ...named.filter((name) => !known.includes(name ?? '')).map((name) => `${method} ${path}: parameter ${name}`),
        ...(isDescribed ? [] : [`${method} ${path}: answer`]),
        ...(needsBody ? [`${method} ${path}: body`] : []),
      ]
    })
    assert.deepEqual(missing, [])
  })

  test('has the responses that each operation really gives', () => {
    const put = document.paths['/v1/host/colophon/secrets/{id}']?.put?.responses ?? {}
    assert.ok('204' in put, `PUT secrets is documented with ${Object.keys(put)}`)
    const stream = document.paths['/v1/host/colophon/changes']?.get?.responses['200']?.content ?? {}
    assert.ok('text/event-stream' in stream, `changes is documented with ${Object.keys(stream)}`)
  })

  test('has the error envelope', () => {
    const without = operations.filter(({ path, operation }) => {
      const errors = Object.entries(operation.responses).filter(([status]) => /^(4|5|default)/.test(status))
      return !publicPaths.includes(path) && !errors.some(([, { content }]) => content?.['application/json']?.schema)
    })
    assert.deepEqual(
      without.map(({ method, path }) => `${method} ${path}`),
      [],
    )
  })

  test('has no broken references', () => {
    for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
      assert.notEqual(found, undefined, pointer)
    }
  })

  test('is shown in a browser without requests to any other host', async () => {
    const first = await server.as(null)('GET', '/docs')
    const location = first.headers.get('location')
    const html =
      location === null ? first : await server.as(null)('GET', new URL(location, `${server.url}/docs`).pathname)
    assert.equal(html.status, 200)
    assert.match(html.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(html.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    assert.doesNotMatch(html.text, /(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i)
    assert.doesNotMatch(html.text, /<script(?![^>]*\bsrc=)[^>]*>\s*\S/i, 'the policy forbids scripts inside the page')
    const base = new URL(location ?? '/docs', `${server.url}/docs`)
    const parts = [...html.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => new URL(part, base))
    assert.ok(parts.length >= 3, 'scripts and styles')
    for (const part of parts) {
      assert.equal(part.origin, server.url)
      assert.equal((await server.as(null)('GET', part.pathname)).status, 200, part.pathname)
    }
  })
})

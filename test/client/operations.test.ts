import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Operations that the client leaves out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  'GET /v1/memory/{ref}': 'the short form of memory.list, for tools that expect that path',
  'GET /v1/host/colophon/agents': 'the same as GET /v1/agents',
  'GET /v1/host/colophon/runs/{runId}:diff': 'the same as GET /v1/runs/{runId}:diff',
}

const named = globSync('src/client/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)])
  .map(([, operation = '']) => operation)

describe('the client', () => {
  let server: TestServer
  let documented: string[]
  before(async () => {
    server = await startServer()
    const { body } = await server.as(null)('GET', '/v1/openapi.json')
    documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'head')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
  })
  after(() => server[Symbol.asyncDispose]())

  test('has a method for every operation: a new route needs one in src/client, or a reason in this file', () => {
    assert.ok(documented.length >= 60, `${documented.length} operations`)
    const missing = documented.filter((operation) => !named.includes(operation) && !(operation in leftOut))
    assert.deepEqual(missing, [])
  })

  test('has none that the server does not have, and leaves out none without need', () => {
    assert.deepEqual(
      named.filter((operation) => !documented.includes(operation)),
      [],
    )
    const needless = (operation: string) => named.includes(operation) || !documented.includes(operation)
    assert.deepEqual(Object.keys(leftOut).filter(needless), [])
  })

  test('sends each of them by a method of its own', async () => {
    const sent = new Set<string>()
    const record = async (url: string, init: RequestInit) => {
      sent.add(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
      return Response.json({ error: 'not_found', message: 'No.' }, { status: 404 })
    }
    const client = createClient({ url: 'http://host', fetch: record as typeof fetch })
    const { send: _any, ...calls } = client
    for (const method of methodsOf(calls)) {
      const result = method('p1', 'p2', 'p3')
      const first = isIterable(result) ? result.next() : result
      await assert.rejects(async () => first, { code: 'not_found' })
    }
    const patterns = [...new Set(named)].map((operation) => ({ operation, pattern: toPattern(operation) }))
    const unsent = patterns.filter(({ pattern }) => ![...sent].some((call) => pattern.test(call)))
    assert.deepEqual(
      unsent.map(({ operation }) => operation),
      [],
    )
    const unknown = [...sent].filter((call) => !patterns.some(({ pattern }) => pattern.test(call)))
    assert.deepEqual(unknown, [])
  })
})

type Method = (...args: string[]) => unknown

function methodsOf(group: object): Method[] {
  return Object.values(group).flatMap((member: unknown) => {
    if (typeof member === 'function') return [member as Method]
    return member !== null && typeof member === 'object' ? methodsOf(member) : []
  })
}

function isIterable(value: unknown): value is AsyncGenerator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Each parameter is one of the arguments: none is left empty, none is spelled wrong. */
function toPattern(operation: string): RegExp {
  const escaped = operation.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, 'p[123]')}$`)
}

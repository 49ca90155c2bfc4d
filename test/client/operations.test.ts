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
  'GET /webhooks/{webhookId}/dead-letters':
    'the client lists them by GET /v1/host/colophon/webhooks/{webhookId}/dead-letters, which needs no version',
  'GET /runs': 'the client lists runs by GET /v1/host/colophon/runs, which has filters',
}

/** The API of another product, whose own clients call it. */
const isForOthers = (operation: string): boolean => / \/mem0\//.test(operation)

const named = globSync('src/client/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/g)])
  .map(([, operation = '']) => operation)

describe('the client', () => {
  let server: TestServer
  let documented: string[]
  let second: string[]
  before(async () => {
    server = await startServer()
    const first = await documentedAt(server, '/v1/openapi.json')
    second = await documentedAt(server, '/openapi.json')
    // A client states an operation of both versions in version 1.
    const onlyInSecond = second.filter((operation) => !first.includes(inFirst(operation)) && !first.includes(operation))
    documented = [...first, ...onlyInSecond].filter((operation) => !isForOthers(operation))
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
    const { calls: sent } = await sentBy(1)
    const patterns = [...new Set(named)].map((operation) => ({ operation, pattern: toPattern(operation) }))
    const unsent = patterns.filter(({ pattern }) => !sent.some((call) => pattern.test(call)))
    assert.deepEqual(
      unsent.map(({ operation }) => operation),
      [],
    )
    const unknown = sent.filter((call) => !patterns.some(({ pattern }) => pattern.test(call)))
    assert.deepEqual(unknown, [])
  })

  test('sends what version 2 has in version 2, when that is chosen', async () => {
    const sent = await sentBy(2)
    const unsent = second.filter((operation) => !(operation in leftOut) && !sent.has(operation, '2'))
    assert.deepEqual(unsent, ['GET /.well-known/openwop', 'GET /audit/verify'], 'read in version 1')
  })
})

const inFirst = (operation: string): string => operation.replace(' /', ' /v1/')

async function documentedAt(server: TestServer, path: string): Promise<string[]> {
  const { body } = await server.as(null)('GET', path)
  return Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'head')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
}

/** What a client sends when each of its methods is called once. */
async function sentBy(wire: 1 | 2) {
  const calls: { readonly call: string; readonly version: string | null }[] = []
  const record = async (url: string, init: RequestInit) => {
    const version = new Headers(init.headers).get('openwop-version')
    calls.push({ call: `${init.method ?? 'GET'} ${new URL(url).pathname}`, version })
    return Response.json({ error: 'not_found', message: 'No.' }, { status: 404 })
  }
  const { send: _any, ...groups } = createClient({ url: 'http://host', fetch: record as typeof fetch, wire })
  for (const method of methodsOf(groups)) {
    const result = method('p1', 'p2', 'p3')
    const first = isIterable(result) ? result.next() : result
    await assert.rejects(async () => first, { code: 'not_found' })
  }
  return {
    calls: [...new Set(calls.map(({ call }) => call))],
    has: (operation: string, version: string | null) =>
      calls.some((sent) => toPattern(operation).test(sent.call) && sent.version === version),
  }
}

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

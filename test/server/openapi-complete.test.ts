import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { z } from 'zod'
import { wires } from '../../src/wires/index.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Media = Record<string, { schema?: unknown; example?: unknown }>
type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Media }
  responses: Record<string, { content?: Media; headers?: Record<string, unknown> }>
}
type OpenApi = { tags: { name: string; description?: string }[]; paths: Record<string, Record<string, Operation>> }

const host = '/v1/host/colophon'

/** Writes without an Idempotency-Key, because a repeat is harmless or refused by what the first call did. */
const unkeyed = [
  `POST ${host}/tenants/{id}:disable`,
  `POST ${host}/tenants/{id}:enable`,
  // A session is opened with a cookie that is not repeated, and ended twice without harm.
  `POST ${host}/session`,
  `DELETE ${host}/session`,
  `POST ${host}/jobs/{id}:retry`,
  `POST ${host}/jobs/{id}:cancel`,
  `POST ${host}/import`,
  'POST /v1/memories/jobs/{id}:retry',
  'DELETE /mem0/v1/memories',
]

describe('the OpenAPI document is complete', () => {
  let server: TestServer
  let text: string
  let document: OpenApi
  let operations: { name: string; operation: Operation }[]
  before(async () => {
    server = await startServer()
    const answer = await server.as(null)('GET', '/v1/openapi.json')
    text = answer.text
    document = answer.body
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
    )
  })
  after(() => server[Symbol.asyncDispose]())

  const namesOf = (wrong: (operation: Operation, name: string) => boolean) =>
    operations.filter(({ name, operation }) => wrong(operation, name)).map(({ name }) => name)

  test('every operation has an id of its own, a summary and a description', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.deepEqual(
      namesOf(({ operationId = '' }) => !/^[a-z][A-Za-z0-9]+$/.test(operationId)),
      [],
    )
    assert.deepEqual(
      namesOf(({ operationId }) => ids.indexOf(operationId) !== ids.lastIndexOf(operationId)),
      [],
    )
    const words = (summary = '') => summary.split(' ').filter((word) => word !== '').length
    assert.deepEqual(
      namesOf(({ summary }) => words(summary) < 2 || words(summary) > 6),
      [],
    )
    assert.deepEqual(
      namesOf(({ description = '' }) => !/[.)]$/.test(description)),
      [],
    )
  })

  test('every tag is described, and every operation has one', () => {
    const described = document.tags.filter(({ description = '' }) => description !== '').map(({ name }) => name)
    assert.deepEqual(
      namesOf(({ tags = [] }) => tags.length === 0 || !tags.every((tag) => described.includes(tag))),
      [],
    )
    const used = operations.flatMap(({ operation }) => operation.tags ?? [])
    assert.deepEqual(
      described.filter((tag) => !used.includes(tag)),
      [],
    )
  })

  test('every JSON body and every JSON response has an example', () => {
    const lacksExample = (content: Media = {}) => {
      const json = content['application/json']
      return json !== undefined && json.example === undefined
    }
    assert.deepEqual(
      namesOf(({ requestBody }) => lacksExample(requestBody?.content)),
      [],
    )
    assert.deepEqual(
      namesOf(({ responses }) => Object.values(responses).some(({ content }) => lacksExample(content))),
      [],
    )
  })

  test('every write accepts an Idempotency-Key and shows whether a response is a repeat', () => {
    const isRead = new Set(
      wires.flatMap(({ routes }) =>
        routes.filter((route) => route.isRead).map(({ method, path }) => `${method} ${path}`),
      ),
    )
    const takesKey = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'Idempotency-Key')
    const isWrite = (name: string) => !name.startsWith('GET ') && !isRead.has(name) && !unkeyed.includes(name)
    assert.deepEqual(
      namesOf((operation, name) => takesKey(operation) !== isWrite(name)),
      [],
    )
    const saysReplay = ({ responses }: Operation) =>
      Object.entries(responses).every(
        ([status, { headers = {} }]) => !/^2/.test(status) || 'Idempotent-Replay' in headers,
      )
    assert.deepEqual(
      namesOf((operation) => takesKey(operation) && !saysReplay(operation)),
      [],
    )
  })

  test('error responses name Retry-After', () => {
    const names = ({ responses }: Operation, statuses: string[]) =>
      statuses.some((status) => 'Retry-After' in (responses[status]?.headers ?? {}))
    assert.deepEqual(
      namesOf((operation) => !names(operation, ['429', '4XX']) || !names(operation, ['503', '5XX'])),
      [],
    )
  })

  test('Redocly finds no error', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, config })
    assert.deepEqual(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
      [],
    )
  })
})

describe('the schemas of the wires', () => {
  const schemas = wires.flatMap(({ routes, errorSchema }) => [
    errorSchema,
    ...routes.flatMap((route) => [
      ...(route.body === undefined ? [] : [route.body]),
      ...Object.values(route.responses).flatMap((answer) =>
        answer instanceof z.ZodType ? [answer] : Object.values(answer.content).map(({ schema }) => schema),
      ),
    ]),
  ])

  test('each name stands for one shape', () => {
    const names = new Map<string, Set<z.ZodType>>()
    for (const schema of schemas) {
      // What is empty, or is text, needs no name.
      if (schema instanceof z.ZodNull || schema instanceof z.ZodString) continue
      const name = schema.meta()?.id ?? ''
      names.set(name, (names.get(name) ?? new Set()).add(schema))
    }
    assert.deepEqual(
      [...names]
        .filter(([name, shapes]) => name === '' || shapes.size > 1)
        .map(([name, { size }]) => `${name}: ${size}`),
      [],
    )
  })

  test('every array of a request is bounded, so that invalid items cannot block the server', () => {
    const unbounded: string[] = []
    /** Typed arrays and records that a request can fill without an end. */
    const visit = (schema: z.core.$ZodType, path: string, seen = new Set<unknown>()): void => {
      if (seen.has(schema)) return
      seen.add(schema)
      const def = schema._zod.def as unknown as Record<string, unknown> & { type: string }
      const inner = (name: string) => def[name] as z.core.$ZodType
      if (def.type === 'array') {
        const isTyped = inner('element')._zod.def.type !== 'unknown'
        const checks = (def.checks ?? []) as z.core.$ZodCheck[]
        if (isTyped && !checks.some(({ _zod }) => _zod.def.check === 'max_length')) unbounded.push(path)
        visit(inner('element'), `${path}[]`, seen)
      }
      if (def.type === 'record') {
        const keys = inner('keyType')._zod.def.type
        if (keys === 'string' && inner('valueType')._zod.def.type !== 'unknown') unbounded.push(`${path}.*`)
      }
      if (def.type === 'object')
        for (const [name, member] of Object.entries(def.shape as object)) visit(member, `${path}.${name}`, seen)
      if (def.type === 'union') for (const option of def.options as z.core.$ZodType[]) visit(option, path, seen)
      if (def.innerType) visit(inner('innerType'), path, seen)
      if (def.type === 'pipe') visit(inner('in'), path, seen)
    }
    for (const { routes } of wires) for (const { operationId, body } of routes) if (body) visit(body, operationId)
    assert.deepEqual(unbounded, [])
  })

  test('the schemas accept their examples', () => {
    // Also the named parts of bodies and answers.
    const named = new Set([...schemas, ...(z.globalRegistry._idmap.values() as Iterable<z.ZodType>)])
    const refused = [...named].flatMap((schema) => {
      const { id, examples = [] } = (schema.meta() ?? {}) as { id?: string; examples?: unknown[] }
      return examples.flatMap((example) => {
        const { error } = schema.safeParse(example)
        return error === undefined ? [] : [`${id}: ${z.prettifyError(error)}`]
      })
    })
    assert.deepEqual(refused, [])
  })
})

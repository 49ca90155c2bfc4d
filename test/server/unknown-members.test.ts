import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { describeProblem, type SchemaProblem } from '../../src/http/schema-problem.ts'
import { compileValidator } from '../../src/http/validator.ts'
import { host } from '../../src/wires/host/index.ts'
import { provenance } from '../../src/wires/provenance/index.ts'
import { startServer } from '../support/server.ts'

/** The objects that a request can have, at any depth. */
function objectsIn(schema: unknown, found = new Set<z.ZodObject>(), seen = new Set<unknown>()): Set<z.ZodObject> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return found
  seen.add(schema)
  if (schema instanceof z.ZodObject) found.add(schema)
  if (schema instanceof z.ZodType) {
    const parts = schema.def as unknown as Readonly<Record<string, unknown>>
    for (const name of ['shape', 'element', 'options', 'innerType', 'in', 'valueType', 'left', 'right', 'items'])
      objectsIn(parts[name], found, seen)
  } else for (const part of Object.values(schema)) objectsIn(part, found, seen)
  return found
}

test('every object of a request of the host extension and of the provenance API names a member that is not known', () => {
  const routes = [...host.routes, ...provenance.routes]
  const objects = new Set(routes.flatMap(({ body, query }) => [...objectsIn(body), ...objectsIn(query)]))
  assert.ok(objects.size > 60, `${objects.size} objects`)
  for (const schema of objects) {
    const known = Object.keys(schema.shape)
    const [first = 'x'] = known
    const mistyped = `${first}z`
    const result = compileValidator({ schema })({ [mistyped]: 1 })
    const problems = 'error' in result ? result.error : []
    const issue = problems.find(({ keyword }) => keyword === 'unrecognized_keys')
    // An object that takes any member says so in its own schema.
    if (issue === undefined && schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever))
      continue
    const { text, unknown } = describeProblem('body', issue as SchemaProblem)
    assert.deepEqual(unknown, [mistyped])
    if (first.length > 2) assert.match(text, new RegExp(`: ${mistyped} \\(did you mean ${first}\\?\\)$`))
  }
})

const add = { external_user_id: 'ada', messages: [{ role: 'user', content: 'Ada prefers tea.' }] }

test('a refusal names what is not known, in a body, in what is nested and in a query, and never a value', async () => {
  await using server = await startServer()
  const cases: readonly [operation: string, body: object | undefined, status: number, expected: RegExp][] = [
    ['POST /v1/memories/add', { ...add, msgs: 's3cr3t-value' }, 422, /: msgs; known are .*messages/],
    [
      'POST /v1/host/colophon/memory/notes/entries:batch',
      { entries: [{ content: 'x', tag: ['a'] }] },
      400,
      /^entries\[0\] .*tag \(did you mean tags\?\)/,
    ],
    ['POST /v1/memories/add', { ...add, user_id: 1 }, 422, /: user_id; known are .*external_user_id/],
    [
      'POST /v1/memories/add',
      { ...add, source: { service: 'crm', eventId: 'e' } },
      422,
      /^source .*eventId \(did you mean event_id\?\)/,
    ],
    [
      'POST /v1/memories/add',
      { ...add, 'ck_019a.acme.9f2c41aa': 1 },
      422,
      /^body has a member that is not known: \*; known are/,
    ],
    [
      'GET /v1/memories?external_user=ada',
      undefined,
      422,
      /^querystring has a parameter that is not known: external_user \(did you mean external_user_id\?\)/,
    ],
    ['POST /v1/host/colophon/memory/notes/entries', { contnt: 'x' }, 400, /contnt \(did you mean content\?\)/],
    [
      'GET /v1/host/colophon/memory/notes/entries?limt=5',
      undefined,
      400,
      /parameter that is not known: limt \(did you mean limit\?\)/,
    ],
    ['GET /v1/host/colophon/stats?detailed=1', undefined, 400, /parameter that is not known: detailed; there are none/],
  ]
  for (const [operation, body, status, expected] of cases) {
    const [method = '', path = ''] = operation.split(' ')
    const answer = await server.call(method, path, body)
    assert.equal(answer.status, status, `${operation}: ${answer.text}`)
    assert.match(String(answer.body.message), expected, operation)
    assert.ok(!answer.text.includes('s3cr3t-value') && !answer.text.includes('ck_019a'), answer.text)
  }
})

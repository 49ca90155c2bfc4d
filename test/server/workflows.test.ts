import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { startServer, type Tenant, type TestServer } from '../support/server.ts'
import { chain, gate, nodeOf, noop, put, workflows } from './runs-calls.ts'

const canary = 'CANARY-do-not-repeat'

/** A document with every kind of member, so that each can be made wrong. */
const whole = () => ({
  ...chain('whole', [noop('a'), { ...noop('b'), inputs: { x: { type: 'variable', variableName: 'v' } } }]),
  triggers: [{ id: 't', type: 'manual' }],
  variables: [{ name: 'v', type: 'string' }],
})

/** The document with one member made into something else; undefined takes it away. */
function withMember(path: string, value: unknown): object {
  const document = structuredClone(whole()) as Record<string, unknown>
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, document)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return document
}

const notText = [undefined, null, 1, true, [], {}, '']
const notList = [undefined, null, 1, 'x', {}, [null], [1], [canary], [[]]]
const notObject = [undefined, null, 1, 'x', []]
const wrongMembers: Readonly<Record<string, readonly unknown[]>> = {
  id: [...notText, 'Upper', '1st', 'two words', canary, 'x'.repeat(129), 'a\u0000', 'a\n'],
  name: [...notText, 'x'.repeat(257), 'a\u0000b'],
  version: [...notText, 'a\tb', 'x'.repeat(129)],
  nodes: [...notList, []],
  edges: notList,
  triggers: notList,
  variables: notList,
  metadata: notObject,
  settings: notObject,
  'metadata.tags': ['x', [1], ['']],
  'metadata.complianceClass': ['secret', 1],
  'settings.timeout': [-1, 1.5, '10', null],
  'settings.logLevel': ['loud'],
  configurableSchema: [1, 'x', [], { $ref: '#' }, { type: 'thing' }, { unknownKeyword: 1 }, { pattern: '(' }],
  status: ['open', 1],
  isActive: ['yes'],
  more: [1],
  [canary]: [1],
  'nodes.0.id': [...notText, 'constructor', 'toString', 'x'.repeat(129), 'a\nb'],
  'nodes.0.typeId': [...notText, 'Core.noop', 'core noop', 'no.such.type', canary, 'x'.repeat(257)],
  'nodes.0.name': notText,
  'nodes.0.position': [...notObject, {}, { x: 1 }, { x: '1', y: 2 }],
  'nodes.0.config': notObject,
  'nodes.0.inputs': [...notObject, { p: 1 }, { p: {} }, { p: { type: 'none' } }, { p: { type: 'static' } }],
  'nodes.0.disabled': ['no', 0],
  'nodes.0.agent': [1, {}, { agentId: 'x' }, { agentId: 'abc', channel: 'beta' }, { agentId: 'abc', more: 1 }],
  'nodes.0.more': [1],
  'nodes.1.id': ['a'],
  'nodes.1.inputs.x': [
    { type: 'variable' },
    { type: 'variable', variableName: 1 },
    { type: 'expression', expression: '1+1' },
    { type: 'connection', nodeId: 'b', outputKey: 'y' },
    { type: 'connection', nodeId: 'none', outputKey: 'y' },
    { type: 'static', value: 1, more: 1 },
  ],
  'edges.0.id': notText,
  'edges.0.sourceNodeId': [...notText, 'none', 'b'],
  'edges.0.targetNodeId': [...notText, 'none', 'a'],
  'edges.0.triggerRule': ['sometimes', 1],
  'edges.0.condition': [
    'x',
    [],
    {},
    { type: 'equals' },
    { type: 'equals', left: 'nowhere.x', right: 1 },
    { type: 'equals', left: 'outputs.b.x', right: 1 },
    { type: 'expression', expression: 'process.exit()' },
    { type: 'regex', left: 'variables.v', right: '(?=x)' },
    { type: 'regex', left: 'variables.v', right: 1 },
    { type: 'regex', left: 'variables.v', right: 'x'.repeat(501) },
  ],
  'edges.0.more': [1],
  'triggers.0.type': [...notText, 'sometime'],
  'triggers.0.more': [1],
  'variables.0.name': [...notText, '__proto__', 'hasOwnProperty'],
  'variables.0.type': [...notText, 'date'],
  'variables.0.defaultValue': [1, true, [], {}],
  'variables.0.more': [1],
}

describe('refused workflows', () => {
  let server: TestServer
  let tenant: Tenant
  before(async () => {
    server = await startServer()
    tenant = await server.tenant()
  })
  after(() => server[Symbol.asyncDispose]())

  const refuse = async (document: unknown, what: string, status = 400, code = 'validation_error') => {
    const answer = await tenant.call(
      'POST',
      workflows,
      typeof document === 'string' ? document : JSON.stringify(document),
    )
    assert.equal(answer.status, status, `${what}: ${answer.text}`)
    assertError(answer, status, code)
    assert.ok(!answer.text.includes(canary), `${what}: ${answer.text}`)
    return answer
  }

  for (const [path, values] of Object.entries(wrongMembers)) {
    test(`${path.replace(canary, 'an unknown member')} of the wrong type`, async () => {
      for (const value of values) {
        const answer = await refuse(withMember(path, value), JSON.stringify(value) ?? 'missing')
        const [first = ''] = path.split('.')
        const { field } = answer.body.details
        assert.ok(field === 'workflow' || field.startsWith(first), `${path} was refused as ${field}`)
      }
    })
  }

  test('a body that is not a workflow document', async () => {
    for (const body of ['null', '1', '"x"', '[]', 'true', '{', '', '{"id":"x"}{}']) await refuse(body, body)
  })

  test('names of Object.prototype as members', async () => {
    const text = JSON.stringify(whole())
    for (const member of ['"__proto__":{"x":1}', '"__proto__":null', '"constructor":{"prototype":{}}']) {
      await refuse(text.replace('"config":{}', `"config":{${member}}`), member)
      await refuse(`{${member},${text.slice(1)}`, member)
    }
  })

  test('cycles', async () => {
    const edge = (from: string, to: string) => ({ id: `${from}${to}`, sourceNodeId: from, targetNodeId: to })
    const abc = chain('circle', [noop('a'), noop('b'), noop('c')])
    const circles = [
      [edge('a', 'a')],
      [edge('a', 'b'), edge('b', 'a')],
      [edge('a', 'b'), edge('b', 'c'), edge('c', 'a')],
      [edge('a', 'b'), edge('b', 'c'), edge('c', 'b')],
    ]
    for (const edges of circles) await refuse({ ...abc, edges }, JSON.stringify(edges))
  })

  test('a cycle through the maximum number of nodes', async () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) => noop(`n${index}`))
    const document = chain('circle', nodes)
    const back = { id: 'back', sourceNodeId: 'n999', targetNodeId: 'n0' }
    await refuse({ ...document, edges: [...document.edges, back] }, 'a large circle')
  })

  test('node types that the host does not have', async () => {
    const answer = await refuse(chain('lacking', [{ id: 'x', typeId: 'core.ai.structuredOutput' }]), 'an unknown type')
    assert.deepEqual([answer.body.details.field, answer.body.details.nodeId], ['nodes[0].typeId', 'x'])
  })

  test('configs of memory nodes: unknown keys, wrong types and missing members', async () => {
    const memory = (verb: string, config: unknown) =>
      chain('memory', [{ id: 'x', typeId: `colophon.memory.${verb}`, config }])
    const good = { put: { content: 'x' }, list: {}, get: { id: 'x' }, delete: { id: 'x' } }
    for (const [verb, config] of Object.entries(good)) {
      for (const wrong of [
        { more: 1 },
        { [canary]: 1 },
        { memoryref: 'notes' },
        { memoryRef: 1 },
        { memoryRef: '' },
        { into: [] },
      ])
        await refuse(memory(verb, { ...config, ...wrong }), `${verb} ${JSON.stringify(wrong)}`)
    }
    await refuse(memory('put', {}), 'put without content')
    await refuse(memory('put', { content: 1 }), 'put of a number')
    await refuse(memory('get', {}), 'get without id')
    await refuse(memory('delete', {}), 'delete without id')
    await refuse(memory('list', { id: 'x' }), 'list with id')
  })

  test('invalid configs of core nodes', async () => {
    for (const [typeId, config] of [
      ['core.approvalGate', { actions: [] }],
      ['core.approvalGate', { actions: 'accept' }],
      ['core.approvalGate', { actions: ['accept', 'maybe'] }],
      ['core.clarificationGate', {}],
      ['core.clarificationGate', { questions: [] }],
      ['core.clarificationGate', { questions: [{ id: 'q' }] }],
      [
        'core.clarificationGate',
        {
          questions: [
            { id: 'q', question: 'x' },
            { id: 'q', question: 'y' },
          ],
        },
      ],
      ['core.interrupt', {}],
      ['core.interrupt', { kind: 'approval' }],
      ['core.interrupt', { kind: 'custom', data: [] }],
      ['core.interrupt', { kind: 'custom', timeoutMs: -1 }],
      ['core.interrupt', { kind: 'custom', timeoutMs: 0.5 }],
      ['core.interrupt', { kind: 'custom', resumeSchema: { $ref: '#' } }],
      ['core.interrupt', { kind: 'external-event', data: { correlation: 'x' } }],
      ['core.subWorkflow', {}],
      ['core.subWorkflow', { workflowId: 1 }],
      ['core.subWorkflow', { workflowId: 'x', inputMapping: { a: 1 } }],
      ['core.subWorkflow', { workflowId: 'x', outputMapping: [] }],
      ['core.subWorkflow', { workflowId: 'x', onChildFailure: 'retry' }],
      ['core.subWorkflow', { workflowId: 'x', memoryScopeIsolation: 'some' }],
    ] as const) {
      await refuse(chain('core', [{ id: 'x', typeId, config }]), `${typeId} ${JSON.stringify(config)}`)
    }
  })

  test('values over a limit; the error names the limit', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })
    const many = (count: number) => Array.from({ length: count }, (_, index) => index)
    const base = chain('large', [noop('a'), noop('b')])
    const withConfig = (config: unknown) => chain('large', [{ ...noop(), config }])
    for (const [limit, document] of [
      ['definitionBytesMax', withConfig({ text: 'x'.repeat(1_048_576) })],
      ['nestingLevelsMax', withConfig(nested(62))],
      ['nodesMax', { ...base, edges: [], nodes: many(1_001).map((index) => nodeOf(noop(`n${index}`))) }],
      [
        'edgesMax',
        { ...base, edges: many(5_001).map((index) => ({ id: `e${index}`, sourceNodeId: 'a', targetNodeId: 'b' })) },
      ],
      ['variablesMax', { ...base, variables: many(1_001).map((index) => ({ name: `v${index}`, type: 'string' })) }],
      ['triggersMax', { ...base, triggers: many(101).map((index) => ({ id: `t${index}`, type: 'manual' })) }],
      ['metadataTagsMax', { ...base, metadata: { tags: many(101).map(String) } }],
    ] as const) {
      const answer = await refuse(document, limit)
      assert.equal(answer.body.details.limit, limit, answer.text)
    }
    await refuse(`{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'a body of brackets')
  })

  test('a refused document leaves its idempotency key free', async () => {
    const key = { 'idempotency-key': 'once' }
    const elsewhere = await server.tenant()
    assertError(await elsewhere.call('POST', workflows, chain('w', [noop('constructor')]), key), 400)
    assert.equal((await elsewhere.call('POST', workflows, chain('w', [gate(), put('p', 'x')]), key)).status, 201)
  })

  test('none of these documents was stored', async () => {
    assert.deepEqual((await tenant.call('GET', workflows)).body, { workflows: [] })
  })
})

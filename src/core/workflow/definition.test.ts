import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ColophonError, invalid, isColophonError } from '../errors.ts'
import { type NodeTypeRules, parseWorkflow } from './definition.ts'
import { workflowLimits } from './workflow-limits.ts'

type Draft = Record<string, unknown>

const anyType = (typeId: string): NodeTypeRules => ({ typeId })

function node(id: string, members: Draft = {}): Draft {
  return { id, typeId: 'core.noop', name: 'n', position: { x: 0, y: 0 }, config: {}, inputs: {}, ...members }
}

function edge(sourceNodeId: string, targetNodeId: string, members: Draft = {}): Draft {
  return { id: `${sourceNodeId}-${targetNodeId}`, sourceNodeId, targetNodeId, ...members }
}

function workflow(members: Draft = {}): Draft {
  return {
    id: 'w',
    name: 'W',
    version: '1',
    nodes: [node('a'), node('b')],
    edges: [edge('a', 'b')],
    triggers: [],
    variables: [],
    metadata: {},
    settings: {},
    ...members,
  }
}

function refusal(document: unknown, typeOf: Parameters<typeof parseWorkflow>[1] = anyType): ColophonError {
  try {
    parseWorkflow(document, typeOf)
  } catch (error) {
    assert.ok(isColophonError(error), String(error))
    return error
  }
  assert.fail('the document was accepted')
}

function refuses(document: unknown, field: string): void {
  const error = refusal(document)
  assert.equal(error.code, 'validation_error')
  assert.equal(error.details.field, field, error.message)
}

const fixtures = '../shared/openwop/fixtures'
const isFixtureHere = existsSync(fixtures)

test('the published fixtures are accepted unchanged', {
  skip: isFixtureHere ? false : `no folder ${fixtures}: the fixtures of OpenWOP are not part of this project`,
}, (t) => {
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.json'))
  t.diagnostic(`${names.length} fixtures`)
  assert.ok(names.length > 0)
  for (const name of names) {
    const document: unknown = JSON.parse(readFileSync(`${fixtures}/${name}`, 'utf8'))
    assert.deepEqual(parseWorkflow(document, anyType), document, name)
  }
})

test('a definition is a copy: later changes of the document have no effect', () => {
  const document = workflow()
  const definition = parseWorkflow(document, anyType)
  assert.deepEqual(definition, document)
  document.nodes = []
  assert.equal(definition.nodes.length, 2)
})

test('a document with every optional member is accepted', () => {
  const document = workflow({
    description: '',
    type: 't',
    isActive: true,
    status: 'draft',
    tenantId: 't',
    scopeId: 's',
    slug: 'w-1',
    groups: [{ id: 'g', name: 'G', nodeIds: ['a'], position: { x: 1, y: 1 }, size: { width: 1, height: 1 } }],
    channels: {
      c: { reducer: 'vendor.acme.sum', access: { readers: ['*', 'core.ai.*'] }, ttlMs: 5 },
      d: { reducer: 'append', access: 'private' },
    },
    configurableSchema: { type: 'object' },
    defaults: { promptRefs: { system: 'p@1', 'few-shot': { id: 'x' } } },
    acceptsInheritedArtifacts: [{}],
    createdAt: '2030-01-31T12:00:00Z',
    metadata: { tags: ['x'], complianceClass: 'pii', complianceConfig: { maskingMode: 'hash', more: 1 }, own: 1 },
    settings: { timeout: 0, maxRetries: 3, logLevel: 'warn', maxLoopbackIterations: 1, own: 1 },
    variables: [{ name: 'x', type: 'string', defaultValue: null, required: true, sensitive: true, description: 'd' }],
    triggers: [{ id: 't', type: 'channel-write', config: { channel: 'c' }, enabled: false }],
    nodes: [
      node('a', { agent: { agentId: 'core.x', memoryRef: 'a/b', modelClass: 'chat', version: '1' }, disabled: true }),
      node('b', {
        inputs: {
          s: { type: 'static', value: null },
          v: { type: 'variable', variableName: 'x', optional: true },
          c: { type: 'connection', nodeId: 'a', outputKey: 'out' },
        },
        outputSensitivity: { out: true },
        outputRole: 'primary',
      }),
    ],
    edges: [
      edge('a', 'b', { condition: { type: 'regex', left: 'output.x', right: '^a+$' }, triggerRule: 'any_success' }),
    ],
  })
  assert.deepEqual(parseWorkflow(document, anyType), document)
})

test('each error names the field', () => {
  const nodes = (members: Draft) => workflow({ nodes: [node('a'), node('b', members)] })
  const edges = (members: Draft) => workflow({ edges: [edge('a', 'b', members)] })
  const variables = (members: Draft) => workflow({ variables: [{ name: 'x', type: 'string', ...members }] })
  const cases: [unknown, string][] = [
    [null, 'workflow'],
    [[], 'workflow'],
    [undefined, 'workflow'],
    [workflow({ extra: 1 }), 'workflow'],
    [{ ...workflow(), nodes: undefined }, 'nodes'],
    [workflow({ id: 'W' }), 'id'],
    [workflow({ id: `w${'x'.repeat(128)}` }), 'id'],
    [workflow({ name: '' }), 'name'],
    [workflow({ version: 1 }), 'version'],
    [workflow({ status: 'gone' }), 'status'],
    [workflow({ nodes: [] }), 'nodes'],
    [workflow({ nodes: {} }), 'nodes'],
    [workflow({ nodes: [node('a'), node('b'), node('a')] }), 'nodes[2].id'],
    [workflow({ edges: [edge('a', 'b'), edge('a', 'b')] }), 'edges[1].id'],
    [nodes({ id: '' }), 'nodes[1].id'],
    [nodes({ id: 'x\u0007' }), 'nodes[1].id'],
    [nodes({ id: 'x'.repeat(129) }), 'nodes[1].id'],
    [nodes({ id: 'constructor' }), 'nodes[1].id'],
    [nodes({ id: '__proto__' }), 'nodes[1].id'],
    [nodes({ typeId: 'Core.noop' }), 'nodes[1].typeId'],
    [nodes({ position: { x: 1 } }), 'nodes[1].position.y'],
    [nodes({ config: [] }), 'nodes[1].config'],
    [nodes({ config: JSON.parse('{"deep": [{"__proto__": 1}]}') }), 'workflow'],
    [nodes({ extra: 1 }), 'nodes[1]'],
    [nodes({ disabled: 'yes' }), 'nodes[1].disabled'],
    [nodes({ inputs: { x: { type: 'expression', expression: 'process.exit()' } } }), 'nodes[1].inputs.x'],
    [nodes({ inputs: { x: { type: 'toString' } } }), 'nodes[1].inputs.x.type'],
    [nodes({ inputs: { x: { type: 'static' } } }), 'nodes[1].inputs.x.value'],
    [nodes({ inputs: { 'a b': { type: 'static' } } }), 'nodes[1].inputs.*.value'],
    [nodes({ inputs: { tok_9f2c41: { type: 'static' } } }), 'nodes[1].inputs.*.value'],
    [nodes({ inputs: { file_2: { type: 'static' } } }), 'nodes[1].inputs.file_2.value'],
    [nodes({ inputs: { x: { type: 'connection', nodeId: 'b', outputKey: 'o' } } }), 'nodes[1].inputs.x.nodeId'],
    [nodes({ inputs: { x: { type: 'connection', nodeId: 'z', outputKey: 'o' } } }), 'nodes[1].inputs.x.nodeId'],
    [nodes({ agent: { agentId: 'x' } }), 'nodes[1].agent.agentId'],
    [nodes({ agent: { agentId: 'core.x', channel: 'stable' } }), 'nodes[1].agent.channel'],
    [nodes({ agent: { agentId: 'core.x', memoryRef: '' } }), 'nodes[1].agent.memoryRef'],
    [edges({ sourceNodeId: 'z' }), 'edges[0].sourceNodeId'],
    [edges({ targetNodeId: 'z' }), 'edges[0].targetNodeId'],
    [edges({ targetNodeId: 'a' }), 'edges[0]'],
    [edges({ triggerRule: 'always' }), 'edges[0].triggerRule'],
    [edges({ condition: {} }), 'edges[0].condition.type'],
    [edges({ condition: { type: 'expression', expression: '1' } }), 'edges[0].condition'],
    [edges({ condition: { type: 'equals', left: 'status', right: 1 } }), 'edges[0].condition.left'],
    [edges({ condition: { type: 'equals', left: 'output.', right: 1 } }), 'edges[0].condition.left'],
    [edges({ condition: { type: 'equals', left: 'outputs.b.x', right: 1 } }), 'edges[0].condition.left'],
    [edges({ condition: { type: 'equals', left: 'inputs.x' } }), 'edges[0].condition.right'],
    [edges({ condition: { type: 'regex', left: 'inputs.x', right: '(?=a)' } }), 'edges[0].condition.right'],
    [edges({ condition: { type: 'regex', left: 'inputs.x', right: 5 } }), 'edges[0].condition.right'],
    [workflow({ edges: [edge('a', 'b'), edge('b', 'a')] }), 'edges'],
    [
      workflow({
        nodes: ['a', 'b', 'c'].map((id) => node(id)),
        edges: [edge('a', 'b'), edge('b', 'c'), edge('c', 'b')],
      }),
      'edges',
    ],
    [variables({ name: 'toString' }), 'variables[0].name'],
    [variables({ type: 'date' }), 'variables[0].type'],
    [variables({ defaultValue: 5 }), 'variables[0].defaultValue'],
    [workflow({ variables: [1, 2].map(() => ({ name: 'x', type: 'array' })) }), 'variables[1].name'],
    [workflow({ triggers: [{ id: 't', type: 'x' }] }), 'triggers[0].type'],
    [workflow({ channels: { c: { reducer: 'sum' } } }), 'channels.c.reducer'],
    [workflow({ metadata: { tags: [''] } }), 'metadata.tags[0]'],
    [workflow({ metadata: { createdAt: 'yesterday' } }), 'metadata.createdAt'],
    [workflow({ settings: { timeout: -1 } }), 'settings.timeout'],
    [workflow({ configurableSchema: true }), 'configurableSchema'],
    [workflow({ configurableSchema: { properties: { x: { $ref: '#' } } } }), 'configurableSchema.properties.x'],
  ]
  for (const [document, field] of cases) refuses(document, field)
})

test('an error about a limit names the limit', () => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))
  const nodes = many(1_001, (index) => node(`n${index}`))
  const regex = { type: 'regex', left: 'inputs.x', right: 'a' }
  const cases: [unknown, string][] = [
    [workflow({ nodes, edges: [] }), 'nodesMax'],
    [workflow({ edges: many(5_001, (index) => edge('a', 'b', { id: `e${index}` })) }), 'edgesMax'],
    [
      workflow({ edges: many(51, (index) => edge('a', 'b', { id: `e${index}`, condition: regex })) }),
      'regexConditionsMax',
    ],
    [workflow({ metadata: { x: 'x'.repeat(1_048_576) } }), 'definitionBytesMax'],
    [workflow({ metadata: nested(100) }), 'nestingLevelsMax'],
  ]
  for (const [document, limit] of cases) {
    const { details } = refusal(document)
    assert.equal(details.limit, limit)
    assert.equal(details.max, workflowLimits[limit as keyof typeof workflowLimits])
  }
  refuses(workflow({ metadata: nested(200_000) }), 'workflow')
})

function nested(levels: number): Draft {
  let value: Draft = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

test('an unknown node type is refused, before the graph is checked', () => {
  const circle = [edge('a', 'b'), edge('b', 'a')]
  const unknown = refusal(workflow({ edges: circle }), () => undefined)
  assert.equal(unknown.code, 'validation_error')
  assert.deepEqual(unknown.details, { field: 'nodes[0].typeId', nodeId: 'a' })
})

test('a node type checks the config of its nodes', () => {
  const picky = (typeId: string): NodeTypeRules => ({
    typeId,
    checkConfig: (config, field) => {
      if ('typo' in config) throw invalid(field, 'has a key that is not known')
    },
  })
  assert.equal(
    refusal(workflow({ nodes: [node('a', { config: { typo: 1 } })], edges: [] }), picky).details.field,
    'nodes[0].config',
  )
})

test('any document is either a definition or refused with an error that repeats nothing of it', () => {
  const secret = 'sk-hunter2'
  const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
  const odd = fc.oneof(
    json,
    fc.constantFrom<unknown>(secret, undefined, '__proto__', -1, 1e300, [secret], { [secret]: secret }),
  )
  const places = fc.constantFrom(
    ...Object.keys(workflow()),
    'channels',
    'groups',
    'configurableSchema',
    'defaults',
    secret,
  )
  const inner = fc.constantFrom('nodes', 'edges', 'variables', 'triggers')
  const members = fc.constantFrom(
    'id',
    'typeId',
    'config',
    'inputs',
    'agent',
    'condition',
    'triggerRule',
    'type',
    secret,
  )
  const documents = fc.oneof(
    odd,
    fc.record({ place: places, value: odd }).map(({ place, value }) => workflow({ [place]: value })),
    fc.record({ list: inner, member: members, value: odd }).map(({ list, member, value }) => {
      const document = workflow({ variables: [{ name: 'x', type: 'string' }], triggers: [{ id: 't', type: 'manual' }] })
      const [first, ...rest] = document[list] as Draft[]
      return { ...document, [list]: [{ ...first, [member]: value }, ...rest] }
    }),
  )
  fc.assert(
    fc.property(documents, (document) => {
      try {
        parseWorkflow(document, anyType)
      } catch (error) {
        assert.ok(isColophonError(error, 'validation_error'), String(error))
        assert.doesNotMatch(error.message + JSON.stringify(error.details), /hunter2/)
      }
      assert.equal(({} as Draft).value, undefined)
    }),
    { numRuns: 3_000 },
  )
})

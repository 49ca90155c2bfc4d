import assert from 'node:assert/strict'
import test from 'node:test'
import type { Scanner } from '../redaction/scanner.ts'
import { scanForSecretPatterns } from '../redaction/secret-patterns.ts'
import { redactWorkflow } from './redact-workflow.ts'

const secret = 'hunter2'
const node = (members: object = {}) => ({
  id: 'a',
  typeId: 'core.noop',
  name: 'a',
  position: { x: 0, y: 0 },
  config: {},
  inputs: {},
  ...members,
})
const workflow = (members: object = {}) => ({
  id: 'w',
  name: 'w',
  version: '1',
  nodes: [node()],
  edges: [],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
  ...members,
})

/** Texts that contain the word are redacted, and names that contain it are collected. */
function redact(document: object, word = secret) {
  const refused: string[] = []
  const scan: Scanner = (part, onHit) => {
    if (part.includes(word)) onHit('word')
    return part.replaceAll(word, '[X]')
  }
  const name = (field: string, value: string) => {
    if (value.includes(word)) refused.push(field)
  }
  return { document: redactWorkflow(document, { scan, onHit: () => {}, name }), refused }
}

test('a document without a secret is unchanged', () => {
  const edge = {
    id: 'e',
    sourceNodeId: 'a',
    targetNodeId: 'b',
    condition: { type: 'equals', left: 'inputs.x', right: 1 },
  }
  const schema = { type: 'object', properties: { title: { type: 'string', title: 'T' } }, required: ['title'] }
  const document = workflow({ edges: [edge], configurableSchema: schema, channels: { c: { reducer: 'append' } } })
  assert.deepEqual(redact(document).document, document)
})

test('secrets are redacted in all texts of a document', () => {
  const said = `the word is ${secret}`
  const { document, refused } = redact(
    workflow({
      name: said,
      description: said,
      nodes: [
        node({
          name: said,
          notes: said,
          config: { content: said, tags: [said] },
          inputs: { p: { type: 'static', value: { [secret]: said } } },
        }),
      ],
      edges: [
        {
          id: 'e',
          sourceNodeId: 'a',
          targetNodeId: 'b',
          label: said,
          condition: { type: 'equals', left: 'inputs.x', right: said },
        },
      ],
      variables: [{ name: 'v', type: 'string', defaultValue: said, description: said }],
      metadata: { author: said, [secret]: said, customProperties: { deep: [said] } },
      settings: { [secret]: said },
      triggers: [{ id: 't', type: 'manual', config: { a: said } }],
      groups: [{ id: 'g', name: said, nodeIds: ['a'], position: { x: 0, y: 0 }, size: { width: 1, height: 1 } }],
      configurableSchema: { type: 'object', description: said, properties: { p: { default: said, enum: [said] } } },
    }),
  )
  assert.deepEqual(refused, [])
  assert.ok(!JSON.stringify(document).includes(secret), JSON.stringify(document))
})

test('keywords of the host stay, also when a secret equals one', () => {
  const document = workflow({
    nodes: [
      node({ typeId: 'core.interrupt', config: { kind: 'external-event', data: { eventType: 'e' }, memoryRef: 'm' } }),
    ],
    variables: [{ name: 'v', type: 'string' }],
    configurableSchema: { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] },
  })
  const words = ['nodes', 'typeId', 'core.interrupt', 'config', 'kind', 'external-event', 'eventType', 'memoryRef']
  for (const word of [...words, 'variables', 'string', 'properties', 'object', 'required', 'position'])
    assert.deepEqual(redact(document, word), { document, refused: [] }, word)
})

test('names that contain a secret are reported, not rewritten', () => {
  const cases: [object, string][] = [
    [{ version: secret }, 'workflow.version'],
    [{ nodes: [node({ id: secret })] }, 'workflow.nodes[0].id'],
    [{ nodes: [node({ config: { memoryRef: secret } })] }, 'workflow.nodes[0].config.memoryRef'],
    [{ nodes: [node({ config: { [secret]: 1 } })] }, 'workflow.nodes[0].config'],
    [{ nodes: [node({ inputs: { [secret]: { type: 'static', value: 1 } } })] }, 'workflow.nodes[0].inputs'],
    [{ nodes: [node({ agent: { agentId: secret } })] }, 'workflow.nodes[0].agent.agentId'],
    [{ variables: [{ name: secret, type: 'string' }] }, 'workflow.variables[0].name'],
    [{ configurableSchema: { properties: { [secret]: {} } } }, 'workflow.configurableSchema.properties'],
    [
      { edges: [{ id: 'e', condition: { type: 'regex', left: 'inputs.x', right: secret } }] },
      'workflow.edges[0].condition.right',
    ],
  ]
  for (const [members, field] of cases) {
    const document = workflow(members)
    assert.deepEqual(redact(document), { document, refused: [field] }, field)
  }
})

test('a value is redacted with the name of its member', () => {
  const password = 'Tr0ub4dor-and-3'
  const document = workflow({
    nodes: [
      node({
        config: {
          dbPassword: password,
          content: 'plain',
          timeoutMs: 86_400_000,
          headers: { 'X-Api-Key': 'a1B2c3D4e5F6g7H8' },
        },
        inputs: { password: { type: 'static', value: password }, pin: { type: 'static', value: 7 } },
      }),
    ],
    edges: [
      {
        id: 'e',
        sourceNodeId: 'a',
        targetNodeId: 'b',
        condition: { type: 'equals', left: 'variables.password', right: password },
      },
    ],
    variables: [{ name: 'smtp_password', type: 'string', defaultValue: password }],
    configurableSchema: { type: 'object', properties: { password: { default: password, title: 'Password2' } } },
    metadata: { customProperties: { token: { value: 'a1B2c3D4e5F6g7H8' } } },
  })
  const redacted = redactWorkflow(document, { scan: scanForSecretPatterns, onHit: () => {}, name: () => {} })
  const text = JSON.stringify(redacted)
  assert.ok(!text.includes(password) && !text.includes('a1B2c3D4'), text)
  assert.ok(text.includes('"timeoutMs":86400000') && text.includes('Password2') && text.includes('"value":7'))
})

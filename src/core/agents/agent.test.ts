import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../errors.ts'
import { agentLimits, isAgentId, modelClasses, parseManifest } from './agent.ts'

const least = { agentId: 'local.team.concierge', persona: 'Concierge', modelClass: 'general', systemPrompt: 'Be kind.' }

const complete = {
  agentId: 'vendor.acme.desk.brief-Writer',
  persona: 'Brief Writer',
  modelClass: 'writing',
  role: 'assistant',
  label: 'Writer',
  description: '',
  systemPromptRef: 'prompts/writer.md',
  evalSuiteRef: 'evals/writer.json',
  toolAllowlist: ['openwop:http', 'mcp:search', 'mcp:search'],
  requiresCapabilities: ['memory.search', 'host.workspace'],
  memoryShape: { scratchpad: true, conversation: false, longTerm: true },
  confidence: { defaultThreshold: 0.7 },
  handoff: { taskSchemaRef: 'schemas/task.json', returnSchemaRef: 'schemas/return.json' },
  promptLibraryRef: 'house-style',
  promptOverrides: {
    user: 'prompt:greeting@1.0.0',
    'few-shot': { libraryId: 'l', templateId: 't', version: '1.0.0', variableOverrides: { tone: 'warm' } },
  },
  peerDependencies: { 'openwop.agents.memoryBackends': '>=longTerm' },
  peerDependenciesMeta: { 'openwop.agents.memoryBackends': { optional: true } },
}

function assertRefused(document: unknown, code: 'validation_error' | 'pack_validation_failed', field?: string): void {
  assert.throws(
    () => parseManifest(document),
    (error) => {
      assert.ok(isColophonError(error, code), `${JSON.stringify(document)?.slice(0, 200)}: ${error}`)
      if (field !== undefined) assert.match(error.message, new RegExp(field), error.message)
      return true
    },
  )
}

test('a valid manifest is accepted unchanged, as a copy', () => {
  for (const good of [least, complete]) {
    const parsed = parseManifest(good)
    assert.deepEqual(parsed, good)
    assert.notEqual(parsed, good)
  }
  assert.deepEqual(parseManifest({ ...least, label: undefined }), least)
})

test('a member of the wrong type or value is refused, and the error names the member', () => {
  const wrong: Record<string, unknown[]> = {
    agentId: [
      '',
      'concierge',
      'local',
      'local.x',
      'Local.a.b',
      'host:one',
      'local.a.B',
      'roster',
      'org-chart',
      1,
      null,
    ],
    persona: ['', 1, null, 'x'.repeat(201)],
    modelClass: ['', 'vision', null, ['general']],
    role: ['boss', '', null],
    label: ['', 'x'.repeat(101)],
    description: ['x'.repeat(501), 5],
    systemPrompt: ['', 1, 'x'.repeat(agentLimits.systemPromptCharactersMax + 1)],
    evalSuiteRef: ['', {}],
    toolAllowlist: ['mcp:x', [''], [1], {}, Array.from({ length: 257 }, () => 'x')],
    requiresCapabilities: ['memory', ['a', 'a'], [''], ['a b'], [null]],
    memoryShape: [null, [], true, { longTerm: 'yes' }, { longTerm: 1 }, { shortTerm: true }],
    confidence: [0.5, { defaultThreshold: 1.1 }, { defaultThreshold: -0.1 }, { defaultThreshold: '1' }, { x: 1 }],
    handoff: ['x', { taskSchemaRef: '' }, { taskSchema: {} }],
    promptLibraryRef: ['', 'A', '-x'],
    promptOverrides: ['x', { other: 'prompt:x' }, { user: 'x' }, { user: {} }, { user: { templateId: 1 } }],
    peerDependencies: [[], 'x', null, { '': 'x' }, { 'a b': 'x' }, { a: 1 }],
    peerDependenciesMeta: [[], { a: true }, { a: { optional: 'yes' } }, { a: { other: true } }],
  }
  for (const [member, values] of Object.entries(wrong)) {
    for (const value of values) assertRefused({ ...least, [member]: value }, 'validation_error', member)
  }
  for (const name of ['agentId', 'persona', 'modelClass']) {
    assertRefused({ ...least, [name]: undefined }, 'validation_error', name)
  }
  assertRefused({ ...least, extra: 1 }, 'validation_error', 'manifest')
  assertRefused({ ...least, persona: 'a\u0000b' }, 'validation_error', 'NUL')
  assertRefused(JSON.parse('{"__proto__": {}}'), 'validation_error', 'manifest')
  for (const document of [undefined, null, 'x', [], 5, new Map()]) assertRefused(document, 'validation_error')
})

test('a manifest has either systemPrompt or systemPromptRef', () => {
  assertRefused({ ...least, systemPromptRef: 'x' }, 'validation_error', 'systemPrompt')
  const { systemPrompt: _none, ...without } = least
  assertRefused(without, 'validation_error', 'systemPrompt')
})

test('a manifest above manifestBytesMax is refused', () => {
  const variableOverrides = { text: 'x'.repeat(agentLimits.manifestBytesMax) }
  const document = { ...least, promptOverrides: { user: { templateId: 't', variableOverrides } } }
  assertRefused(document, 'validation_error', 'manifest')
})

test('a skill must declare a handoff and request no memory; without a role no such rule applies', () => {
  const skill = { ...least, role: 'skill', handoff: { taskSchemaRef: 'a' } }
  parseManifest(skill)
  parseManifest({ ...skill, memoryShape: { scratchpad: true, conversation: false, longTerm: false } })
  assertRefused({ ...skill, handoff: undefined }, 'pack_validation_failed', 'handoff')
  assertRefused({ ...skill, memoryShape: { longTerm: true } }, 'pack_validation_failed', 'longTerm')
  assertRefused({ ...skill, memoryShape: { conversation: true } }, 'pack_validation_failed', 'conversation')
  const both = { conversation: true, longTerm: true }
  for (const role of ['assistant', undefined]) parseManifest({ ...skill, role, memoryShape: both })
  // The shape of the manifest is checked before the rules of a skill.
  assertRefused({ ...skill, handoff: undefined, persona: 1 }, 'validation_error', 'persona')
})

test('an agent id is a dotted name; reserved words of the protocol are refused', () => {
  for (const id of ['core.host.agent', 'local.a.b', 'private.x_y-z.aB9.cD', `local.${'a'.repeat(248)}.b`])
    assert.ok(isAgentId(id), id)
  for (const id of ['roster', 'org-chart', '', 'local.a', 'other.a.b', 'local.a.b\n', `local.${'a'.repeat(249)}.b`, 7])
    assert.ok(!isAgentId(id), String(id))
})

test('any document is either a manifest or refused with an error that does not repeat it', () => {
  const member = fc.constantFrom(...Object.keys(complete))
  const almost = fc.tuple(member, fc.anything()).map(([name, value]) => ({ ...complete, [name]: value }))
  const loose = fc.dictionary(member, fc.oneof(fc.anything(), fc.constantFrom(...Object.values(complete))))
  fc.assert(
    fc.property(fc.oneof(fc.anything(), almost, loose), (document) => {
      try {
        const parsed = parseManifest(document)
        assert.ok(isAgentId(parsed.agentId) && modelClasses.includes(parsed.modelClass))
        assert.deepEqual(parseManifest(parsed), parsed)
      } catch (error) {
        assert.ok(isColophonError(error) && ['invalid', 'refused'].includes(error.kind), String(error))
      }
    }),
    { numRuns: 2_000 },
  )
  const marker = 'zq-must-not-be-repeated'
  for (const name of Object.keys(complete)) {
    for (const value of [`\u0000${marker}`, [`\u0001 ${marker}`], { [marker]: marker }, { [`${marker} `]: [marker] }]) {
      try {
        parseManifest({ ...complete, [name]: value })
      } catch (error) {
        assert.ok(isColophonError(error))
        assert.ok(!`${error.message}${JSON.stringify(error.details)}`.includes(marker), error.message)
      }
    }
  }
})

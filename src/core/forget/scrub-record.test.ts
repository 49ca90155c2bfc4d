import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdminBody, AdminKind } from '../admin.ts'
import { isErased } from '../workflow/erased-value.ts'
import { nameScrubber } from './name-scrubber.ts'
import { scrubReaders, scrubRecord } from './scrub-record.ts'

const person = {
  ...nameScrubber(['ada', 'subject:ada']),
  pseudonymOf: (reader: string) => `forgotten:${reader.length}`,
}
const scrub = (kind: AdminKind, text: object, facts?: object) =>
  scrubRecord(kind, { text: text as AdminBody['text'], sealed: {}, ...(facts && { facts: { ...facts } }) }, person, 100)

test('a key loses the name, and is revoked for all clocks if it is bound to the person', () => {
  const facts = { reader: 'ada', revokedAt: null, isRevoked: false, createdAt: 1 }
  assert.deepEqual(scrub('key', { name: 'Ada at work' }, facts), {
    text: { name: '[FORGOTTEN] at work' },
    facts: { reader: 'forgotten:3', revokedAt: 100, isRevoked: true, createdAt: 1 },
    sealed: {},
  })
  assert.equal(scrub('key', { name: 'k' }, { ...facts, revokedAt: 50 })?.facts?.revokedAt, 50)
  assert.deepEqual(scrub('key', { name: 'Ada' }, { reader: 'bob', revokedAt: null })?.facts, {
    reader: 'bob',
    revokedAt: null,
  })
  assert.equal(scrub('key', { name: 'Canada' }, { reader: null, revokedAt: null }), null)
})

test('values of a workflow that name the person are erased whole; ids, types and paths of templates stay', () => {
  const document = {
    id: 'ada',
    name: 'For Ada',
    nodes: [
      {
        id: 'ada',
        typeId: 'colophon.memory.put',
        config: { memoryRef: 'subject:ada', content: '{{variables.ada}} is here', into: 'x', tags: ['drinks', 'ada'] },
        inputs: { to: { type: 'static', value: 'Dear Ada' }, from: { type: 'variable', variableName: 'ada' } },
        agent: { agentId: 'private.ada', memoryRef: 'subject:ada' },
      },
    ],
    variables: [{ name: 'who', type: 'string', defaultValue: 'ada' }],
  }
  const clean = scrub('workflow-version', document)?.text as unknown as typeof document
  const [node] = clean.nodes
  assert.deepEqual(
    [clean.id, clean.name, node?.id, node?.typeId],
    ['ada', 'For [FORGOTTEN]', 'ada', 'colophon.memory.put'],
  )
  assert.ok(isErased(node?.config.memoryRef) && isErased(node?.inputs.to.value) && isErased(node?.config.tags[1]))
  assert.ok(isErased(clean.variables[0]?.defaultValue))
  assert.deepEqual([node?.config.content, node?.config.tags[0]], ['{{variables.ada}} is here', 'drinks'])
  assert.deepEqual([node?.inputs.from, node?.agent], [document.nodes[0]?.inputs.from, { agentId: 'private.ada' }])
})

test('reasons and texts of agents lose the name; settings and ids of agents stay', () => {
  assert.deepEqual(scrub('quarantine', { reason: 'Ada said so' })?.text, { reason: '[FORGOTTEN] said so' })
  const agent = {
    agentId: 'ada',
    modelClass: 'ada',
    persona: 'Helper of Ada',
    promptOverrides: { tone: 'as Ada likes' },
  }
  assert.deepEqual(scrub('agent', agent)?.text, {
    ...agent,
    persona: 'Helper of [FORGOTTEN]',
    promptOverrides: { tone: 'as [FORGOTTEN] likes' },
  })
  assert.equal(scrub('webhook', { name: 'ada' }), null)
})

test('a list of readers keeps its length, and is the same list if it does not name the person', () => {
  const others = ['ana', 'bob']
  assert.equal(scrubReaders(others, person), others)
  assert.equal(scrubReaders(null, person), null)
  assert.deepEqual(scrubReaders(['ada'], person), ['forgotten:3'], 'never an empty list, and never everyone')
  assert.deepEqual(scrubReaders(['ada', 'ana'], person), ['ana', 'forgotten:3'])
})

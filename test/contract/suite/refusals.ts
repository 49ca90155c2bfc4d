import assert from 'node:assert/strict'
import { limits } from '../../../src/core/limits.ts'
import { rejectsWith } from './assert-code.ts'
import type { ContractTest } from './world.ts'

const badRefs = [
  '',
  '..',
  '../up',
  'a/../b',
  'a\\..\\b',
  'nul\u0000',
  'line\nbreak',
  'tab\t',
  '\u007f',
  '\ud800',
  'x'.repeat(257),
]

/** Refusals: the code, the field, the limit and the hint. Nothing changes, and no input is repeated in the message. */
export function refusalsContract(test: ContractTest): void {
  test('unknown and malformed refs read as empty, and cannot be written', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'x' })
    for (const ref of ['unknown', ...badRefs]) {
      assert.deepEqual((await memory.list(ref)).entries, [])
      assert.deepEqual((await memory.list(ref, { tag: 'source:api' })).entries, [])
      assert.equal(await memory.get(ref, entry.id), null)
      assert.equal(await memory.colophon(ref, entry.id), null)
      assert.equal(await memory.delete(ref, entry.id), false)
    }
    for (const ref of badRefs) {
      await rejectsWith(
        'validation_error',
        memory.put(ref, { content: 'secret text' }),
        'secret text',
        ...(ref.length > 2 ? [ref] : []),
      )
    }
    for (const id of ['', 'mem_', '\u0000', '\ud800', 'x'.repeat(5_000)]) {
      assert.equal(await memory.get('notes', id), null)
      assert.equal(await memory.delete('notes', id), false)
    }
    assert.equal((await memory.snapshot()).position, 1)
  })

  test('refs with slashes, colons, schemes and dots are ordinary', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const refs = [
      'mem://group/agent',
      'workspaces/t/agents/a/memories',
      'mem_tenant:default_agent:x_longTerm',
      'a..b',
      'ünï/🦊',
      '%',
      'x'.repeat(256),
    ]
    for (const ref of refs) await memory.put(ref, { content: ref })
    for (const ref of refs)
      assert.deepEqual(
        (await memory.list(ref)).entries.map((entry) => entry.content),
        [ref],
      )
  })

  test('callers cannot write to the refs and tags of the host', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    for (const prefix of ['subject:', 'scratch:', 'conversation:', 'runs:']) {
      await rejectsWith('validation_error', memory.put(`${prefix}ada`, { content: 'forged' }), 'ada', 'forged')
    }
    const reserved = [
      'source:run',
      'source:session',
      'source:api',
      'source:compaction',
      'source:service:crm',
      'compacted-from:1',
      'openwop.x',
    ]
    for (const tag of reserved)
      await rejectsWith('validation_error', memory.put('notes', { content: 'forged', tags: [tag] }), 'forged')
    await memory.put('notes', { content: 'fine', tags: ['source:slack', 'sources', 'compacted'] })
    assert.equal((await memory.list('notes')).entries.length, 1)
  })

  test('malformed drafts are refused before anything is stored', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const drafts: unknown[] = [
      undefined,
      null,
      'text',
      [],
      {},
      { content: 1 },
      { content: 'canary', extra: true },
      { content: 'canary\u0000' },
      { content: 'canary\ud800' },
      { content: 'canary', tags: 'one' },
      { content: 'canary', tags: [1] },
      { content: 'canary', tags: ['x'.repeat(limits.tagCharactersMax + 1)] },
      { content: 'canary', tags: ['nul\u0000'] },
      { content: 'canary', tags: Array.from({ length: limits.tagsPerEntryMax + 1 }, (_, i) => `t${i}`) },
      { content: 'canary', expiresAt: 'tomorrow' },
      { content: 'canary', expiresAt: '2030-01-01T00:00:00' },
      { content: 'canary', expiresAt: '2030-13-01T00:00:00Z' },
      { content: 'canary', expiresAt: new Date(Number.NaN) },
      { content: 'canary', expiresAt: '2001-01-01T00:00:00Z' },
      { content: 'canary', subject: '' },
      { content: 'canary', subject: 'x'.repeat(limits.subjectCharactersMax + 1) },
    ]
    for (const draft of drafts)
      await rejectsWith('validation_error', memory.put('notes', draft as { content: string }), 'canary')
    assert.equal((await memory.snapshot()).position, 0)
  })

  test('unknown options and impossible values are errors', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'x' })
    const wrong = (value: unknown) => value as never
    await rejectsWith('validation_error', memory.list('notes', wrong({ order: 'asc' })))
    await rejectsWith('validation_error', memory.put('notes', { content: 'x' }, wrong({ idempotencykey: 'typo' })))
    await rejectsWith('validation_error', memory.delete('notes', 'x', wrong({ expect: 1 })))
    for (const limit of [-1, 1.5, Number.NaN, '5', 2 ** 60])
      await rejectsWith('validation_error', memory.list('notes', { limit: wrong(limit) }))
    for (const asOf of [-1, 1.5, 2, 'yesterday', {}, null])
      await rejectsWith('validation_error', memory.list('notes', { asOf: wrong(asOf) }))
    for (const cursor of ['', 'x', '1.2', '1.2.3.4', '-1.2.3', '1.2.99999999999999999', 5]) {
      await rejectsWith('validation_error', memory.list('notes', { cursor: wrong(cursor) }))
    }
    for (const key of ['', 'x'.repeat(256), 'a\nb', 5]) {
      await rejectsWith('validation_error', memory.put('notes', { content: 'x' }, { idempotencyKey: wrong(key) }))
    }
    for (const tag of ['', 'x'.repeat(257), 7])
      await rejectsWith('validation_error', memory.list('notes', { tag: wrong(tag) }))
    await rejectsWith('validation_error', memory.list('notes', { asOf: 1, run: { snapshot: 1, own: [] } }))
    await rejectsWith('validation_error', memory.list('notes', { run: { snapshot: 9, own: [] } }))
    await rejectsWith('validation_error', memory.list('notes', { run: wrong({ snapshot: 1 }) }))
    await rejectsWith('validation_error', memory.list('notes', { cursor: '99.1.0' }))
    await rejectsWith('validation_error', memory.verify({ to: 9 }))
    await rejectsWith('validation_error', memory.verify({ from: 5, to: 1 }))
    for (const options of [
      {},
      { handlers: { k: 1 } },
      { handlers: {}, concurrency: 0 },
      { handlers: {}, leaseMs: 1 },
      { handlers: {}, poll: 1 },
    ]) {
      assert.throws(() => colophon.worker(wrong(options)), { code: 'validation_error' })
    }
    for (const tenant of ['', 'a b', '../a', '-a', 'x'.repeat(65), 'a\u0000', 'ä', 5]) {
      assert.throws(() => colophon.memory(wrong(tenant)), { code: 'validation_error' })
    }
  })

  test('secrets are replaced before they are stored, and refused in identifiers', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    const key = `sk-${'A1b2'.repeat(8)}`
    const entry = await memory.put('notes', {
      content: `use ${key} and [BYOK:hk_live_x] or <REDACTED:db>`,
      tags: [key, `x ${key}`],
    })
    assert.equal(entry.content, 'use [REDACTED:model-provider-key] and [REDACTED:byok] or [REDACTED:db]')
    assert.deepEqual(entry.tags, ['[REDACTED:model-provider-key]', 'x [REDACTED:model-provider-key]', 'source:api'])
    assert.deepEqual(await memory.get('notes', entry.id), entry)
    await rejectsWith('secret_leakage', memory.put(`notes/${key}`, { content: 'x' }), key)
    await rejectsWith('secret_leakage', memory.put('notes', { content: 'x', subject: key }), key)
    await rejectsWith('secret_leakage', memory.put('notes', { content: 'x' }, { idempotencyKey: key }), key)
    await rejectsWith('secret_leakage', memory.put('notes', { content: 'x' }, { actor: key }), key)
    for (const field of ['runId', 'nodeId', 'agentId']) {
      const run = { runId: 'run_1', sequence: 1, [field]: key }
      await rejectsWith('secret_leakage', memory.put('notes', { content: 'x' }, { run }), key)
    }
    await rejectsWith('secret_leakage', colophon.jobs('acme').enqueue({ kind: key }), key)
    await rejectsWith(
      'secret_leakage',
      colophon.jobs('acme').schedule({ scheduleId: key, cron: '* * * * *', kind: 'k' }),
      key,
    )
    assert.equal((await memory.snapshot()).position, 1)
    const jobId = await colophon.jobs('acme').enqueue({ kind: 'k', payload: { note: key, deep: [{ [key]: 1 }] } })
    assert.ok(!JSON.stringify(await colophon.jobs('acme').get(jobId)).includes(key))
  })

  test('a closed instance refuses every call with closed', async ({ colophon }) => {
    const memory = colophon.memory('acme')
    await memory.put('notes', { content: 'x' })
    await colophon.close()
    await rejectsWith('closed', () => memory.put('notes', { content: 'x' }))
    await rejectsWith('closed', () => memory.list('notes'))
    await rejectsWith('closed', () => colophon.jobs('acme').list())
    await colophon.close()
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { now, requestOf } from '../../test/support/node-requests.ts'
import { limits } from '../core/limits.ts'
import { delay } from './delay.ts'
import { fail } from './fail.ts'
import { identity } from './identity.ts'
import { noop } from './noop.ts'
import { createNodeRegistry } from './registry.ts'

test('noop completes without values', async () => {
  assert.deepEqual(await noop.execute(requestOf({ inputs: { a: 1 }, config: { b: 2 } })), { kind: 'completed' })
})

test('identity returns its inputs as outputs and as variables', async () => {
  const inputs = { a: 1, b: { deep: [null] } }
  assert.deepEqual(await identity.execute(requestOf({ inputs })), {
    kind: 'completed',
    outputs: inputs,
    variables: inputs,
  })
})

test('fail uses the code and the message of its config', async () => {
  const config = { code: 'no_stock', message: 'Nothing is left.' }
  assert.deepEqual(await fail.execute(requestOf({ config })), { kind: 'failed', error: config })
})

test('fail uses defaults for an empty code or message and for one that is not a string', async () => {
  for (const config of [{}, { code: '', message: '' }, { code: 7, message: ['x'] }]) {
    const result = await fail.execute(requestOf({ config }))
    assert.ok(result.kind === 'failed')
    assert.equal(result.error.code, 'node_failed')
    assert.match(result.error.message, /^\w.*\.$/)
  }
})

test('fail declares code and message as raw config, because events show them and templates may hold memory', () => {
  assert.deepEqual(fail.rawConfig, ['code', 'message'])
})

test('delay sleeps until now plus its duration', async () => {
  for (const config of [{ delayMs: 500 }, { ms: 500 }, { durationMs: 500 }])
    assert.deepEqual(await delay.execute(requestOf({ config })), { kind: 'sleep', until: now + 500 })
})

test('delay prefers the input to the config, and delayMs to ms to durationMs', async () => {
  const config = { delayMs: 2, ms: 3, durationMs: 4 }
  const untilOf = async (given: Parameters<typeof requestOf>[0]) => {
    const result = await delay.execute(requestOf(given))
    return result.kind === 'sleep' ? result.until - now : result.kind
  }
  assert.equal(await untilOf({ inputs: { delayMs: 1 }, config }), 1)
  assert.equal(await untilOf({ inputs: { delayMs: null }, config }), 2, 'a null input counts as missing')
  assert.equal(await untilOf({ config: { ms: 3, durationMs: 4 } }), 3)
  assert.equal(await untilOf({ inputs: { delayMs: 0 }, config }), 'completed', '0 is a duration')
})

test('delay without a duration completes at once', async () => {
  assert.deepEqual(await delay.execute(requestOf()), { kind: 'completed' })
})

test('delay keeps its first wake time when it is executed again before that time', async () => {
  const state = { wakeAt: now + 1 }
  const again = requestOf({ state, config: { delayMs: 500 } })
  assert.deepEqual(await delay.execute(again), { kind: 'sleep', until: now + 1 })
})

test('delay completes at its wake time, and before it in a replay', async () => {
  const config = { delayMs: 500 }
  assert.deepEqual(await delay.execute(requestOf({ config, state: { wakeAt: now } })), { kind: 'completed' })
  assert.deepEqual(await delay.execute(requestOf({ config, state: { wakeAt: now + 500 }, isReplay: true })), {
    kind: 'completed',
  })
  assert.deepEqual(await delay.execute(requestOf({ config, isReplay: true })), { kind: 'completed' })
})

test('delay refuses a duration that is not a whole number of milliseconds from 0 on', async () => {
  for (const delayMs of [-1, 1.5, '500', Number.NaN, true, [500]])
    await assert.rejects(delay.execute(requestOf({ inputs: { delayMs } })), {
      code: 'validation_error',
      details: { field: 'delayMs', min: 0 },
    })
})

test('delay accepts the longest duration and refuses one millisecond more', async () => {
  const max = limits.delayMsMax
  assert.deepEqual(await delay.execute(requestOf({ config: { ms: max } })), { kind: 'sleep', until: now + max })
  await assert.rejects(delay.execute(requestOf({ config: { ms: max + 1 } })), {
    code: 'validation_error',
    details: { field: 'delayMs', limit: 'delayMsMax', max },
  })
})

test('the registry has each built-in type under its own id', () => {
  const registry = createNodeRegistry()
  assert.deepEqual([...registry.keys()].sort(), [
    'colophon.agent.run',
    'colophon.memory.delete',
    'colophon.memory.distill',
    'colophon.memory.get',
    'colophon.memory.list',
    'colophon.memory.put',
    'colophon.memory.search',
    'colophon.message.add',
    'colophon.model.extract',
    'colophon.model.generate',
    'colophon.workspace.get',
    'colophon.workspace.list',
    'colophon.workspace.put',
    'core.approvalGate',
    'core.clarificationGate',
    'core.conversationGate',
    'core.delay',
    'core.dispatch',
    'core.fail',
    'core.identity',
    'core.interrupt',
    'core.noop',
    'core.orchestrator.supervisor',
    'core.subWorkflow',
  ])
  for (const [typeId, type] of registry) assert.equal(type.typeId, typeId)
})

test('a further type is added to the registry, and replaces a built-in type of the same id', () => {
  const own = { ...noop, typeId: 'acme.own' }
  const other = { ...noop, typeId: 'core.delay' }
  const registry = createNodeRegistry(own, other)
  assert.equal(registry.get('acme.own'), own)
  assert.equal(registry.get('core.delay'), other)
  assert.equal(registry.size, createNodeRegistry().size + 1)
})

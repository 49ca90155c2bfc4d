import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../../test/contract/suite/assert-code.ts'
import { openUseCases, putChain, startRun } from '../../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../../adapters/in-memory/open.ts'
import { createInterruptToken } from '../../../app/runs/resolve-interrupt.ts'
import { limits } from '../../../core/limits.ts'
import { createToken, verifyToken } from './token.ts'

async function openWaiting() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'visit', [{ id: 'gate', typeId: 'core.approvalGate' }])
  return { ...world, run: await startRun(world, { workflowId: 'visit' }) }
}

test('a token names its algorithm and its key, and stands for one interrupt', async () => {
  await using world = await openWaiting()
  const token = (await createToken(world.tenant, world.run, 'gate')) ?? ''
  assert.match(token, /^ow2\.hs256\.tenant-1\.[\w-]+\.[\w-]+$/)
  const { tenant, runId, nodeId } = await verifyToken(world.engine, token)
  assert.deepEqual([tenant, runId, nodeId], ['acme', world.run.runId, 'gate'])
})

test('a token of version 1 is valid, and no token is valid as one of the other version', async () => {
  await using world = await openWaiting()
  const first = (await createInterruptToken(world.tenant, world.run, 'gate')) ?? ''
  assert.equal((await verifyToken(world.engine, first)).runId, world.run.runId)
  const second = (await createToken(world.tenant, world.run, 'gate')) ?? ''
  const changed = [
    `ow2.hs256.tenant-1.${first}`,
    second.slice('ow2.hs256.tenant-1.'.length),
    second.replace('hs256', 'none'),
    second.replace('tenant-1', 'tenant-2'),
    `${second.slice(0, -2)}aa`,
    'ow2.',
  ]
  for (const token of changed)
    await assert.rejects(verifyToken(world.engine, token), { code: 'interrupt_token_invalid', status: 401 }, token)
})

test('a token expires', async () => {
  await using world = await openWaiting()
  const token = (await createToken(world.tenant, world.run, 'gate')) ?? ''
  world.clock.advance(limits.interruptTokenMs + 1)
  await rejectsWith('interrupt_expired', verifyToken(world.engine, token))
})

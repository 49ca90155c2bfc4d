import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { createRun } from './create-run.ts'

test('the refusal of a scope names the active run only to a reader that can see it', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'asks', [{ id: 'gate', typeId: 'core.approvalGate' }])
  const [ada, bob] = [world.tenant.withReader('ada'), world.tenant.withReader('bob')]
  const start = (tenant = ada) => createRun(tenant, { workflowId: 'asks', scopeId: 'one' }, { isAloneInScope: true })
  const activeRunId = (await start()).run.runId
  const named = async (tenant = ada) => {
    const error = await start(tenant).catch((refusal: unknown) => refusal as { code: string; details: object })
    assert.ok('code' in error && error.code === 'run_already_active')
    return 'activeRunId' in error.details ? error.details.activeRunId : null
  }
  assert.deepEqual([await named(), await named(world.tenant), await named(bob)], [activeRunId, activeRunId, null])
})

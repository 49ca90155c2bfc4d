import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driveFamily, putLoop } from '../../../test/support/loops.ts'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, putChain, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { Run } from '../../core/run/run.ts'
import { childRunsOf } from '../../core/run/run-children.ts'
import { erasedValue } from '../../core/workflow/erased-value.ts'
import { put } from '../entries/put.ts'
import { createRun } from '../runs/create-run.ts'
import { forkRun } from '../runs/fork-run.ts'
import { runForget } from './forget-job.ts'
import { forget } from './start-forget.ts'

const array = (name: string) => ({ variables: [{ name, type: 'array' }] })
const read = { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'seen' } }
const noop = { id: 'only', typeId: 'core.noop' }
const gate = { id: 'gate', typeId: 'core.approvalGate' }

/** One child reads, its parent takes over what it read and gives it to the next child. */
const parents = {
  async dispatch(world: UseCaseWorld) {
    const decide = { kind: 'next-worker', nextWorkerIds: ['reads', 'gets'] }
    const rules = [
      { when: [{ type: 'equals', left: 'output.turn', right: 1 }], decide },
      { decide: { kind: 'terminate' } },
    ]
    const mappings = { outputMapping: { text: 'seen' }, inputMapping: { text: 'text' } }
    await putLoop(world, 'parent', { rules }, mappings, array('text'))
  },
  async subWorkflow(world: UseCaseWorld) {
    const first = { workflowId: 'reads', outputMapping: { text: 'seen' } }
    const second = { workflowId: 'gets', inputMapping: { text: 'variables.text' } }
    const nodes = [first, second].map((config, index) => ({ id: `sub${index}`, typeId: 'core.subWorkflow', config }))
    await putChain(world, 'parent', nodes, array('text'))
  },
}

for (const [name, putParent] of Object.entries(parents)) {
  for (const last of [noop, gate]) {
    test(`${name}: forget reaches the inputs of a sibling of the run that read, and of its branch, at ${last.typeId}`, async () => {
      await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
      const { tenant } = world
      await put(tenant, 'notes', { content: 'Ada prefers tea.' })
      await putChain(world, 'reads', [read], array('seen'))
      await putChain(world, 'gets', [last], array('text'))
      await putParent(world)
      const parent = await driveFamily(world, (await createRun(tenant, { workflowId: 'parent' })).run)
      const sibling = async () =>
        (await world.engine.storage.runs.get(tenantId, childRunsOf(parent.facts)[1]?.runId ?? '')) as Run
      assert.match(JSON.stringify((await sibling()).text.inputs), /prefers tea/)
      const { run: fork } = await forkRun(tenant, (await sibling()).runId, { mode: 'branch', fromSeq: 1 })
      const answer = await forget(tenant, { memoryRef: 'notes', reason: 'asked for' })
      assert.ok(!answer.dryRun)
      await runForget(tenant, answer.id, await leaseJob(world, answer.jobId), new AbortController().signal)
      assert.deepEqual((await sibling()).text.inputs, { text: erasedValue })
      assert.doesNotMatch(JSON.stringify(await sibling()), /prefers tea/)
      assert.doesNotMatch(JSON.stringify(await world.engine.storage.runs.get(tenantId, fork.runId)), /prefers tea/)
    })
  }
}

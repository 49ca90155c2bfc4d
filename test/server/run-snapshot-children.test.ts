import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  accept,
  ask,
  asksAt,
  childOf,
  contentsNow,
  contentsOf,
  drop,
  edges,
  inside,
  look,
  note,
  putEntry,
  statusOf,
} from './run-snapshot-calls.ts'
import { chain, ended, register, startRun, until } from './runs-calls.ts'

after(releaseServer)

const workflows = [
  chain('child', [look('first'), note('inner'), ask('ask'), look('second'), note('inner again')]),
  chain(
    'parent',
    [note('own'), inside('inside', 'child'), ask('meanwhile'), note('beside'), look('during'), look('behind')],
    edges(['own', 'inside', 'behind'], ['own', 'meanwhile', 'beside', 'during', 'behind']),
  ),
  chain('writer', [look('seen'), note('by a writer'), drop('dropped')]),
  chain('in-turn', [inside('one', 'writer', mapped('one')), inside('two', 'writer', mapped('two')), look('all')]),
  chain(
    'at-once',
    [inside('one', 'writer', mapped('one')), inside('two', 'writer', mapped('two')), look('all'), look('again')],
    edges(['one', 'all', 'again'], ['two', 'all']),
  ),
  chain('grandchild', [look('deep'), note('deepest')]),
  chain('middle', [note('middle'), inside('below', 'grandchild', out('deep')), look('mid')]),
  chain('top', [note('top'), inside('below', 'middle', out('mid')), look('all')]),
  chain('stranger', [look('seen'), note('apart')]),
  chain('apart', [
    note('own'),
    ask('ask'),
    inside('isolated', 'stranger', { memoryScopeIsolation: 'isolated', ...out('seen') }),
    look('all'),
  ]),
]

/** The child's variables under names of the parent's own. */
function mapped(name: string) {
  return { inputMapping: { victim: 'inputs.victim' }, outputMapping: { [`${name}_seen`]: 'seen', [name]: 'dropped' } }
}

function out(name: string) {
  return { outputMapping: { [name]: name } }
}

for (const storage of storagesOfBehaviour) {
  describe(`${storage}: a run and the runs inside it`, { concurrency: true }, () => {
    const server = useServer({ storage })

    /** A tenant of its own, so that the tests may run side by side. */
    async function newTenant(): Promise<Call> {
      const { call } = await server.tenant()
      for (const workflow of workflows) await register(call, workflow)
      return call
    }

    test('a parent sees the writes of a child once the child has completed, and not before', async () => {
      const call = await newTenant()
      await putEntry(call, 'old')
      const runId = await startRun(call, 'parent')
      const child = await childOf(call, runId, 'inside')
      await asksAt(call, child, 'ask')
      await putEntry(call, 'new')
      assert.deepEqual(await contentsNow(call), ['new', 'inner', 'own', 'old'])
      assert.deepEqual(await contentsNow(call, runId), ['own', 'old'])
      await accept(call, runId, 'meanwhile')
      const waits = ({ variables }: { variables: object }) => 'during' in variables
      const during = await until(call, runId, 'has looked', waits)
      assert.deepEqual(contentsOf(during.variables.during), ['beside', 'own', 'old'])
      await accept(call, child, 'ask')
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed', JSON.stringify(run.error))
      assert.deepEqual(contentsOf(run.variables.behind), ['inner again', 'beside', 'inner', 'own', 'old'])
      assert.deepEqual(await contentsNow(call, runId), ['inner again', 'beside', 'inner', 'own', 'old'])
      const { variables } = await ended(call, child)
      assert.deepEqual(contentsOf(variables.first), ['own', 'old'], 'a child sees what its parent had written')
      assert.deepEqual(contentsOf(variables.second), ['inner', 'own', 'old'], 'and nothing the parent wrote since')
    })

    test('sequential siblings see each other’s writes; the second does not see what the first deleted', async () => {
      const call = await newTenant()
      const victim = await putEntry(call, 'victim')
      const { status, variables } = await ended(call, await startRun(call, 'in-turn', { inputs: { victim } }))
      assert.equal(status, 'completed')
      assert.deepEqual(contentsOf(variables.one_seen), ['victim'])
      assert.deepEqual(contentsOf(variables.two_seen), ['by a writer', 'victim'])
      assert.deepEqual([variables.one, variables.two], [true, false])
      assert.deepEqual(contentsOf(variables.all), ['by a writer', 'by a writer', 'victim'])
    })

    test('concurrent siblings change memory one after the other, and neither sees the other’s writes', async () => {
      const call = await newTenant()
      for (const _round of [1, 2, 3]) {
        const victim = await putEntry(call, 'victim')
        const before = await contentsNow(call)
        const { status, variables } = await ended(call, await startRun(call, 'at-once', { inputs: { victim } }))
        assert.equal(status, 'completed')
        assert.deepEqual(contentsOf(variables.one_seen), before)
        assert.deepEqual(contentsOf(variables.two_seen), before)
        assert.deepEqual([variables.one, variables.two].sort(), [false, true], 'an entry is deleted once')
        assert.deepEqual(contentsOf(variables.all), ['by a writer', 'by a writer', ...before])
        assert.deepEqual(variables.again, variables.all)
        const now = (await contentsNow(call)).filter((content) => content === 'by a writer')
        assert.deepEqual(await contentsNow(call), now, 'only the victims are gone')
      }
    })

    test('nested runs share one memory, upwards as each completes', async () => {
      const call = await newTenant()
      await putEntry(call, 'old')
      const runId = await startRun(call, 'top')
      const { status, variables } = await ended(call, runId)
      assert.equal(status, 'completed')
      assert.deepEqual(contentsOf(variables.mid), ['deepest', 'middle', 'top', 'old'])
      assert.deepEqual(contentsOf(variables.all), ['deepest', 'middle', 'top', 'old'])
      const middle = await ended(call, await childOf(call, runId, 'below'))
      assert.deepEqual(contentsOf(middle.variables.deep), ['middle', 'top', 'old'])
    })

    test('an isolated child reads the snapshot only, and shares nothing with its parent', async () => {
      const call = await newTenant()
      await putEntry(call, 'old')
      const runId = await startRun(call, 'apart')
      await asksAt(call, runId, 'ask')
      await putEntry(call, 'new')
      await accept(call, runId, 'ask')
      const { status, variables } = await ended(call, runId)
      assert.equal(status, 'completed')
      assert.deepEqual(contentsOf(variables.all), ['own', 'old'])
      assert.deepEqual(contentsOf(variables.seen), ['old'], 'the same snapshot, without what its parent wrote')
      assert.deepEqual(await contentsNow(call), ['apart', 'new', 'own', 'old'])
      assert.equal(await statusOf(call, await childOf(call, runId, 'isolated')), 'completed')
    })
  })
}

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  host,
  keyed,
  noop,
  register,
  snapshotOf,
  startWaiting,
  workflows,
} from './runs-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`approvals with a list of approvers on ${storage}`, () => {
    const server = useServer({ storage })

    /** A tenant whose approvers have a key each. */
    async function openTeam() {
      const { call } = await server.tenant()
      const approver = async (name: string) => {
        const { body } = await call('POST', `${host}/keys`, { name, scopes: ['runs:read', 'approvals:respond'] })
        return { id: body.id as string, call: server.as(body.key) }
      }
      const [ada, bob, eve] = await Promise.all(['ada', 'bob', 'eve'].map(approver))
      assert.ok(ada && bob && eve)
      const wait = async (config: object) => {
        await register(call, chain('release', [gate('ask', config), noop('then')]))
        return startWaiting(call, 'release')
      }
      return { call, ada, bob, eve, wait }
    }
    const decide = (call: Call, runId: string, action: string, headers = {}) =>
      call('POST', `/v1/runs/${runId}/interrupts/ask`, { resumeValue: { action } }, headers)
    const decisions = async (call: Call, runId: string) =>
      (await eventsOf(call, runId))
        .filter(({ type }) => type === 'approval.received')
        .map(({ payload }) => [payload.decidedBy, payload.action])

    test('only a key of the list decides; other keys are refused and the run keeps waiting', async () => {
      const { call, ada, bob, eve, wait } = await openTeam()
      const runId = await wait({ approversList: [ada.id, `key:${bob.id}`], actions: ['accept', 'reject', 'ask'] })
      for (const action of ['accept', 'reject', 'ask']) {
        const refused = await decide(eve.call, runId, action)
        assertError(refused, 403, 'forbidden')
        assert.equal(refused.body.details.reason, 'not_an_approver')
      }
      assertError(await decide(call, runId, 'accept'), 403, 'forbidden')
      assert.equal((await snapshotOf(call, runId)).status, 'waiting-approval')
      assert.equal((await decide(bob.call, runId, 'accept')).status, 200)
      assert.equal((await ended(call, runId)).status, 'completed')
      assert.deepEqual(await decisions(call, runId), [[`key:${bob.id}`, 'accept']])
    })

    test('several approvals must come from different keys; the same key counts once', async () => {
      const { call, ada, bob, eve, wait } = await openTeam()
      const runId = await wait({ requiredApprovals: 2, approversList: [ada.id, bob.id] })
      const first = await decide(ada.call, runId, 'accept', keyed('one'))
      assert.deepEqual([first.status, first.body.status], [200, 'waiting-approval'])
      assert.equal((await decide(ada.call, runId, 'accept', keyed('one'))).headers.get('idempotent-replay'), 'true')
      const again = await decide(ada.call, runId, 'accept')
      assertError(again, 409, 'approval_repeated')
      assert.deepEqual([again.body.details.approvals, again.body.details.requiredApprovals], [1, 2])
      assertError(await decide(bob.call, runId, 'accept', keyed('one')), 409, 'idempotency_key_mismatch')
      assertError(await decide(eve.call, runId, 'accept'), 403, 'forbidden')
      assert.equal((await snapshotOf(call, runId)).status, 'waiting-approval')
      assert.equal((await decide(bob.call, runId, 'accept')).status, 200)
      assert.equal((await ended(call, runId)).status, 'completed')
      const approved = [ada, bob].map(({ id }) => [`key:${id}`, 'accept'])
      assert.deepEqual(await decisions(call, runId), approved)
      assertError(await decide(bob.call, runId, 'accept'), 409, 'interrupt_already_resolved')

      const asked = (await eventsOf(call, runId)).find(({ type }) => type === 'approval.requested')
      assert.deepEqual([asked.payload.requiredApprovals, asked.payload.approversList], [2, [ada.id, bob.id]])
      const replay = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.equal((await ended(call, replay.body.runId)).status, 'completed')
      assert.deepEqual(await decisions(call, replay.body.runId), approved)
    })

    test('without a list any key counts, once; concurrent approvals count once per key', async () => {
      const { call, ada, bob, eve, wait } = await openTeam()
      const runId = await wait({ requiredApprovals: 3 })
      const calls = [ada, ada, bob, bob, ada].map((key) => decide(key.call, runId, 'accept'))
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [200, 200, 409, 409, 409])
      assert.equal((await snapshotOf(call, runId)).status, 'waiting-approval')
      assert.equal((await decide(eve.call, runId, 'accept')).status, 200)
      assert.equal((await ended(call, runId)).status, 'completed')
    })

    test('one rejection rejects, also after other keys accepted', async () => {
      const { call, ada, bob, wait } = await openTeam()
      const runId = await wait({ requiredApprovals: 2 })
      assert.equal((await decide(ada.call, runId, 'accept')).status, 200)
      assert.equal((await decide(bob.call, runId, 'reject')).status, 200)
      const run = await ended(call, runId)
      assert.deepEqual([run.status, run.error.code], ['failed', 'approval_rejected'])
    })

    test('a token names no approver, so none is issued and none decides', async () => {
      const { call, wait } = await openTeam()
      const plain = await wait({})
      const { interruptToken } = (await snapshotOf(call, plain)).interrupt
      assert.equal((await server.as(null)('GET', `/v1/interrupts/${interruptToken}`)).status, 200)
      for (const config of [{ requiredApprovals: 2 }, { approversList: ['key_unknown'] }]) {
        const { interrupt } = await snapshotOf(call, await wait(config))
        assert.ok(!('interruptToken' in interrupt) && !('callbackUrl' in interrupt), JSON.stringify(interrupt))
      }
    })

    test('a branch asks again, also if its source was approved', async () => {
      const { call, ada, bob, wait } = await openTeam()
      const runId = await wait({ requiredApprovals: 2 })
      await decide(ada.call, runId, 'accept')
      const fromSeq = (await eventsOf(call, runId)).length
      const branch = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq })).body.runId
      assert.equal((await decide(bob.call, branch, 'accept')).body.status, 'waiting-approval')
      assert.equal((await decide(ada.call, branch, 'accept')).status, 200)
      assert.equal((await ended(call, branch)).status, 'completed')
      assert.equal((await snapshotOf(call, runId)).status, 'waiting-approval')
    })

    test('a rule that would not be enforced is refused at registration, and the error names it', async () => {
      const { call } = await server.tenant()
      const send = (config: object) => call('POST', workflows, chain('refused', [gate('ask', config)]))
      const wrong: [object, string][] = [
        [{ requiredApprovals: 0 }, 'requiredApprovals'],
        [{ requiredApprovals: '2' }, 'requiredApprovals'],
        [{ requiredApprovals: 1.5 }, 'requiredApprovals'],
        [{ requiredApprovals: 3, approversList: ['a', 'b', 'key:a'] }, 'requiredApprovals'],
        [{ approversList: 'ada' }, 'approversList'],
        [{ approversList: [''] }, 'approversList'],
        [{ approversList: Array.from({ length: 257 }, (_, n) => `key_${n}`) }, 'approversList'],
        [{ requiredApprovals: 2, actions: ['accept', 'refine'] }, 'actions'],
        [{ rejectionPolicy: 'majority' }, 'rejectionPolicy'],
        [{ overrideBypassesQuorum: true }, 'overrideBypassesQuorum'],
      ]
      for (const [config, field] of wrong) {
        const refused = await send(config)
        assertError(refused, 400, 'validation_error')
        assert.equal(refused.body.details.field, `nodes[0].config.${field}`)
      }
      for (const name of ['approverGroupRefs', 'approverRoleRefs']) {
        const refused = await send({ [name]: ['managers'] })
        assertError(refused, 422, 'capability_required')
        assert.equal(refused.body.details.requiredCapability, 'interrupt.approverRouting')
      }
      const harmless = { rejectionPolicy: 'single-veto', overrideBypassesQuorum: false, approverGroupRefs: [] }
      assert.equal((await send({ ...harmless, approversList: [], audience: { roles: ['x'] } })).status, 201)
    })

    test('a list from the inputs is checked when the inputs are known; an invalid one fails the run', async () => {
      const { call, ada, bob } = await openTeam()
      const config = { requiredApprovals: '{{inputs.count}}', approversList: '{{inputs.who}}' }
      await register(call, chain('open', [gate('ask', config)]))
      const runId = await startWaiting(call, 'open', { inputs: { count: 1, who: [ada.id] } })
      assertError(await decide(bob.call, runId, 'accept'), 403, 'forbidden')
      assert.equal((await decide(ada.call, runId, 'accept')).status, 200)
      assert.equal((await ended(call, runId)).status, 'completed')
      for (const inputs of [
        { count: 0, who: [] },
        { count: 1, who: 'ada' },
        { count: 2, who: [ada.id] },
      ]) {
        const made = await call('POST', '/v1/runs', { workflowId: 'open', inputs })
        const run = await ended(call, made.body.runId)
        assert.deepEqual([run.status, run.error.code], ['failed', 'validation_error'], JSON.stringify(inputs))
      }
    })
  })
}

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { chain, ended, gate, put, register, snapshotOf, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

const iban = 'CH9300762011623852957'
const variables = [
  { name: 'iban', type: 'string', sensitive: true },
  { name: 'note', type: 'string' },
]
const pay = (mode?: string) => (mode === undefined ? {} : { metadata: { complianceConfig: { maskingMode: mode } } })
const steps = [
  {
    ...put('remember', 'paid to {{variables.iban}}'),
    config: { memoryRef: 'paid', content: 'paid to {{variables.iban}}', into: 'entry' },
  },
  gate('ask', { title: 'Pay to {{variables.iban}}?', into: 'decision' }),
]

for (const storage of storagesOfBehaviour) {
  describe(`sensitive variables on ${storage}`, () => {
    const server = useServer({ storage, env: { COLOPHON_TEST_SEAMS: '1' } })

    /** Everything that is shown of a run, as text. */
    async function shownOf(call: typeof server.call, runId: string): Promise<string> {
      const run = `/v1/runs/${runId}`
      const paths = [run, `${run}/events/poll?timeout=0`, `${run}/debug-bundle`, `${run}:diff?against=${runId}`]
      const answers = await Promise.all(paths.map((path) => call('GET', path)))
      for (const { status, text } of answers) assert.equal(status, 200, text)
      const stream = await fetch(`${server.url}${run}/events?streamMode=values`, {
        headers: { authorization: `Bearer ${server.key}` },
      })
      return [...answers.map(({ text }) => text), await stream.text()].join('\n')
    }

    test('sensitive variables are in no view, stream, interrupt, event or bundle, and nodes read their real values', async () => {
      const { call } = server
      await register(call, chain('pay', steps, { variables }))
      const runId = await startWaiting(call, 'pay', { inputs: { iban, note: 'for tea' } })
      const waiting = await snapshotOf(call, runId)
      assert.equal(waiting.interrupt.data.title, 'Pay to [REDACTED]?')
      const byToken = await server.as(null)('GET', waiting.interrupt.callbackUrl)
      assert.equal(byToken.body.data.title, 'Pay to [REDACTED]?')
      await call('POST', `/v1/runs/${runId}/interrupts/ask`, { resumeValue: { action: 'accept', seen: iban } })
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed')
      assert.deepEqual([run.variables.iban, run.variables.note], ['[REDACTED]', 'for tea'])
      assert.equal(run.variables.entry.content, 'paid to [REDACTED]')
      assert.ok(!(await shownOf(call, runId)).includes(iban))
      const [entry] = (await call('GET', '/v1/host/colophon/memory/paid/entries')).body.entries
      assert.equal(entry.content, `paid to ${iban}`, 'the node had the value')

      const fork = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.deepEqual((await ended(call, fork.body.runId)).variables, run.variables)
      assert.ok(!(await shownOf(call, fork.body.runId)).includes(iban))
    })

    test('the workflow chooses the masking: omitted, a keyed hash, or unmasked', async () => {
      const { call } = server
      const shown = async (mode: string, value = iban) => {
        await register(call, chain(`pay-${mode}`, [{ id: 'only', typeId: 'core.noop' }], { variables, ...pay(mode) }))
        return (await ended(call, await startRun(call, `pay-${mode}`, { inputs: { iban: value } }))).variables
      }
      assert.deepEqual(await shown('omit'), {})
      assert.deepEqual(await shown('mask'), { iban: '[REDACTED]' })
      assert.deepEqual(await shown('passthrough'), { iban })
      const { iban: hash } = await shown('hash')
      assert.match(hash, /^sha256:[0-9a-f]{64}$/)
      assert.equal((await shown('hash')).iban, hash, 'equal values have equal hashes')
      assert.notEqual((await shown('hash', 'another')).iban, hash)
    })

    test('outputs that are declared sensitive are masked in the event of their node', async () => {
      const { call } = server
      const resolve = {
        id: 'resolve',
        typeId: 'conformance.secret.echo',
        config: { secretId: 'conformance-test-secret' },
      }
      const outputsWith = async (outputSensitivity: object) => {
        await register(call, chain('masked-outputs', [{ ...resolve, outputSensitivity }]))
        const runId = await startRun(call, 'masked-outputs')
        assert.equal((await ended(call, runId)).status, 'completed')
        const { events } = (await call('GET', `/v1/runs/${runId}/events/poll?timeout=0`)).body
        return events.find(({ type }: { type: string }) => type === 'node.completed').payload.outputs
      }
      const { secretSha256, secretLength } = await outputsWith({})
      assert.match(secretSha256, /^[0-9a-f]{64}$/)
      assert.deepEqual(await outputsWith({ secretSha256: true }), { secretSha256: '[REDACTED]', secretLength })
    })
  })
}

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, memoriesOf, sources } from './memories-calls.ts'
import { chain, ended, host, noop, register, startRun } from './runs-calls.ts'

after(releaseServer)

const password = ['Tr0ub4', 'dor-and-3'].join('')
const digits = '481234567890'

/** A name and its value, a number, and a value of the vault in two halves. */
const values = {
  password,
  nested: [{ db_password: password }],
  account: Number(digits),
  [digits.slice(0, 5)]: digits.slice(5),
}

function assertClean(text: string, what: string): void {
  assert.ok(!text.includes('Tr0ub4') && !text.includes(digits) && !text.includes(digits.slice(5)), `${what}: ${text}`)
}

for (const storage of storagesOfBehaviour) {
  describe(`secrets in structured values on ${storage}`, () => {
    const server = useServer({ storage })

    async function withSecret(): Promise<Call> {
      const { call } = await server.tenant()
      assert.equal((await call('PUT', `${host}/secrets/account`, { value: digits })).status, 204)
      return call
    }

    test('inputs, metadata and configurable of a run, and its events', async () => {
      const call = await withSecret()
      await register(call, chain('plain', [noop('only')]))
      const runId = await startRun(call, 'plain', { inputs: values, metadata: values, configurable: values })
      await ended(call, runId)
      for (const path of [`/v1/runs/${runId}`, `/v1/runs/${runId}/events/poll?timeout=0`]) {
        assertClean((await call('GET', path)).text, path)
      }
      assert.match((await call('GET', `/v1/runs/${runId}`)).text, /\[REDACTED:password\]/)
    })

    test('the config of a workflow', async () => {
      const call = await withSecret()
      await register(call, chain('configured', [{ ...noop(), config: { login: values, dbPassword: password } }]))
      assertClean((await call('GET', `${host}/workflows/configured`)).text, 'workflow')
    })

    test('scope, evidence and metadata of statements of a service', async () => {
      const call = await withSecret()
      const { writer, done } = memoriesOf(call)
      await writer('chat', 50)
      const body = addBody('ada', 'x', { source: { scope: values, evidence: [values] }, body: { metadata: values } })
      const added = await call('POST', '/v1/memories/add', body)
      assert.equal(added.status, 202, added.text)
      await done(added.body.job_id)
      for (const path of [sources, '/v1/memories?external_user_id=ada', `${host}/memory/subject:ada/entries`])
        assertClean((await call('GET', path)).text, path)
      assert.match((await call('GET', sources)).text, /\[REDACTED:password\].*\[REDACTED:account\]/)
    })
  })
}

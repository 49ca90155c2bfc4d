import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allScenarios } from '../../conformance/registry.ts'
import { type Result, runConformance } from '../../conformance/run.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, randomKey, startServer, storagesOfBehaviour } from '../support/server.ts'

after(releaseServer)

/** The scenario on a host that is restarted, with its data or with none. */
async function runRestarted(storage: 'sqlite' | 'postgres', keepsData: boolean): Promise<Result | undefined> {
  await using home = await createHome(storage)
  await using other = await createHome('sqlite')
  const env = { COLOPHON_TEST_SEAMS: '1', COLOPHON_BOOTSTRAP_KEY: randomKey() }
  await using stack = new AsyncDisposableStack()
  const start = async (place: typeof home) => stack.use(await startServer({ home: place, env }))
  const { url, key, stop } = await start(home)
  const restart = async () => {
    await stop()
    return (await start(keepsData ? home : other)).url
  }
  const none = { keyB: null, lowScopeKey: null, revokedKey: null, expiredRunId: null, degradedAgentId: null }
  const scenarios = allScenarios.filter(({ id }) => id === 'heartbeat-restart')
  const [result] = await runConformance({ url, key, ...none, webhookReceiver: false, restart }, scenarios)
  return result
}

for (const storage of storagesOfBehaviour) {
  test(`${storage}: the state of a heartbeat survives a restart`, async () => {
    assert.partialDeepStrictEqual(await runRestarted(storage, true), { outcome: 'executed-pass', reason: '' })
  })
}

test('a host that lost its data is noticed', async () => {
  const result = await runRestarted('sqlite', false)
  assert.equal(result?.outcome, 'executed-fail')
  assert.match(result.reason, /the same state after a restart/)
})

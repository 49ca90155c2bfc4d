// The suite against a stub host: what a correct host passes, a host with a fault fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { marker } from './canaries.ts'
import type { Scenario, Target } from './harness.ts'
import { withoutSchemas } from './published.ts'
import { allScenarios } from './registry.ts'
import { markdownReport } from './report.ts'
import { fetchDiscovery, type Result, runConformance } from './run.ts'
import type { Fault } from './stub/faults.ts'
import { startStubHost, stubKeys } from './stub/host.ts'

const targetAt = (url: string): Target => ({
  url,
  key: stubKeys.a,
  keyB: stubKeys.b,
  lowScopeKey: stubKeys.low,
  revokedKey: stubKeys.revoked,
  expiredRunId: null,
  degradedAgentId: null,
  webhookReceiver: true,
})

/** All at once: each scenario makes its own runs, and most of their time is waiting. */
async function outcomes(fault: Fault | null, scenarios: readonly Scenario[], patienceMs = 20_000): Promise<Result[]> {
  const host = await startStubHost(fault)
  try {
    const target = targetAt(host.url)
    return await runConformance(target, scenarios, { jobs: scenarios.length, patienceMs })
  } finally {
    await host.close()
  }
}

function named(id: string): Scenario {
  const found = allScenarios.find((scenario) => scenario.id === id)
  assert.ok(found, `there is a scenario ${id}`)
  return found
}

const own = (id: string, run: Scenario['run']): Scenario => ({ id, facts: 'none', title: id, run })

/** A host with a fault may never do what a scenario waits for. */
const faultPatienceMs = 3_000

/** Which scenario notices which fault. */
const noticed: readonly (readonly [Fault, string])[] = [
  ['two-terminal-events', 'event-ordering.terminal'],
  ['terminal-not-last', 'event-ordering.terminal'],
  ['unstable-log', 'event-ordering.repeatable'],
  ['inputs-in-events', 'redaction-adversarial.inputs'],
  ['bearer-echoed', 'redaction.bearer'],
  ['forbidden-instead-of-401', 'auth.unknown-key'],
  ['scopes-ignored', 'auth.scope'],
  ['created-with-200', 'runs-lifecycle'],
  ['nested-error', 'errors.unknown-run'],
  ['extra-error-field', 'errors.empty-create'],
  ['key-ignored', 'idempotency.replay'],
  ['key-ignored', 'idempotency.mismatch'],
  ['key-ignored', 'high-concurrency.one-key'],
  ['mismatch-returns-run', 'idempotency.mismatch'],
  ['nodes-out-of-order', 'multi-node-ordering'],
  ['cursor-inclusive', 'version-negotiation.cursor'],
  ['stream-not-closed', 'stream-reconnect.after-end'],
  ['stream-from-start', 'stream-reconnect.middle'],
  ['bad-mode-accepted', 'stream-modes.unknown'],
  ['buffer-ignored', 'stream-modes-buffer.batches'],
  ['buffer-holds-end', 'stream-modes-buffer.flush'],
  ['no-cache-control', 'discovery.document'],
  ['gate-takes-anything', 'interrupt-approval.unknown-action'],
  ['gate-resolves-twice', 'interrupt-race'],
  ['token-works-twice', 'interrupt-token.second-resolve'],
  ['correlation-ignored', 'interrupt-external-event.mismatch'],
  ['cancel-ignored', 'cancellation'],
  ['bulk-cancel-unordered', 'bulk-cancel.results'],
  ['pause-cuts-node', 'pause-resume.drain'],
  ['pause-twice', 'pause-resume.twice'],
  ['cap-after-start', 'cap-breach'],
  ['timeout-observed-equal', 'run-execution-bounds.breach'],
  ['options-unchecked', 'configurable-schema.refused'],
  ['bundle-shows-inputs', 'debug-bundle.canary'],
  ['unsigned-body', 'webhook-signed-delivery'],
  ['replay-delivers', 'webhook-signed-delivery.replay'],
  ['replay-refires', 'replay-side-effect-suppression'],
  ['replay-random', 'replay-determinism.equal'],
  ['fork-beyond-end', 'replay-fork.beyond'],
  ['tenants-mixed', 'cross-tenant-isolation'],
]

test('a correct host fails nothing, and only what cannot be seen is blocked', async () => {
  const core = allScenarios.filter(({ facts }) => facts.startsWith('core'))
  const results = await outcomes(null, core)
  const failed = results.filter(({ outcome }) => outcome === 'executed-fail')
  assert.deepEqual(
    failed.map(({ id, reason }) => `${id}: ${reason}`),
    [],
  )
  assert.deepEqual(
    results.filter(({ outcome }) => outcome === 'blocked').map(({ id }) => id),
    [],
  )
  const passed = new Set(results.filter(({ outcome }) => outcome === 'executed-pass').map(({ id }) => id))
  for (const [, id] of noticed) assert.ok(passed.has(id), `${id} passes on a correct host`)
})

test('every fault is noticed', async () => {
  const results = await Promise.all(noticed.map(([fault, id]) => outcomes(fault, [named(id)], faultPatienceMs)))
  for (const [index, [result]] of results.entries()) {
    assert.equal(result?.outcome, 'executed-fail', `${noticed[index]?.join(' by ')}: ${result?.reason}`)
    assert.ok(!result?.reason.includes(marker), 'the reason does not repeat a canary')
  }
})

test('a scenario that asserts nothing is blocked, and the others end with their own outcome', async () => {
  const results = await outcomes(
    null,
    [
      own('nothing', async () => {}),
      own('not-here', async (check) => check.inapplicable('not advertised')),
      own('no-fixture', async (check) => check.needsFixture('conformance-missing')),
      own('wrong', async (check) => check.equal({ a: 1 }, { a: 2 }, 'a')),
      own('right', async (check) => check.equal({ a: [1] }, { a: [1] }, 'a')),
      own('late', async (check) => void (await check.waitFor('run-unknown'))),
    ],
    200,
  )
  const expected = ['blocked', 'inapplicable', 'blocked', 'executed-fail', 'executed-pass', 'executed-fail']
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    expected,
  )
})

test('a scenario that hangs fails', async () => {
  const host = await startStubHost()
  try {
    const hanging = own('hanging', async (check) => {
      check.ok(true, 'it began')
      await new Promise(() => {})
    })
    const [result] = await runConformance(targetAt(host.url), [hanging], { scenarioTimeoutMs: 50 })
    assert.equal(result?.outcome, 'executed-fail')
  } finally {
    await host.close()
  }
})

test('a stream ends by the server, by the caller, or by time', async () => {
  const closers = async (fault: Fault | null): Promise<Result[]> =>
    outcomes(fault, [
      own('stream', async (check) => {
        const runId = await check.createRun({ workflowId: 'conformance-noop' })
        const path = `/v1/runs/${runId}/events?streamMode=debug`
        const stream = await check.sse(path, fault === null ? {} : { untilMs: 1_500 })
        check.equal(stream.closedBy, fault === null ? 'server' : 'timeout', 'the end')
        check.equal(
          stream.frames.map(({ id }) => id),
          ['0', '1', '2', '3'],
          'the ids',
        )
        const cut = await check.sse(path, { stopWhen: ({ event }) => event === 'node.started' })
        check.equal([cut.closedBy, cut.frames.length], ['caller', 2], 'the end by the caller')
      }),
    ])
  for (const fault of [null, 'stream-not-closed'] as const)
    assert.deepEqual(
      (await closers(fault)).map(({ reason }) => reason),
      [''],
    )
})

test('the report names the host and holds no key', async () => {
  const host = await startStubHost()
  try {
    const target = targetAt(host.url)
    const leak = own('leak', async (check) => check.ok(false, `the host said ${stubKeys.a} | twice`))
    const results = await runConformance(target, [leak])
    const discovery = await fetchDiscovery(target)
    const report = markdownReport({ url: host.url, discovery, results, published: withoutSchemas, date: new Date(0) })
    assert.ok(report.includes('stub 1'))
    assert.ok(report.includes('executed-fail 1'))
    assert.ok(report.includes('schemas were not at hand'))
    assert.ok(report.includes('openwop-stream-sse: not shown; lacking: stream-modes'))
    assert.ok(!report.includes(stubKeys.a))
  } finally {
    await host.close()
  }
})

test('every scenario has its own id', () => {
  const ids = allScenarios.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})

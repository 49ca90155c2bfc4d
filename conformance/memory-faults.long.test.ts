// The memory scenarios against the real server behind a proxy: what passes without a fault fails with one.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ConformanceHost, seamAgentId, startConformanceHost } from '../test/conformance/host.ts'
import { onEveryStorage as inapplicable } from '../test/conformance/inapplicable.ts'
import type { Target } from './harness.ts'
import { withBudgetedReads } from './proxy/injection-budget.ts'
import { memoryFaults } from './proxy/memory-faults.ts'
import type { NoticedFault } from './proxy/noticed.ts'
import { type Fault, startProxy } from './proxy/proxy.ts'
import { type Result, runConformance } from './run.ts'
import { memoryScenarios } from './scenarios/memory-index.ts'

const budgetScenario = 'memory-injection-budget'
const faultsAtOnce = 12

async function outcomes(target: Target, fault: Fault, ids: readonly string[]): Promise<Result[]> {
  await using proxy = await startProxy(target.url, fault)
  const scenarios = memoryScenarios.filter(({ id }) => ids.includes(id))
  return await runConformance({ ...target, url: proxy.url }, scenarios, { jobs: scenarios.length })
}

const lineOf = ({ id, outcome, reason }: Result): string => `${id} ${outcome} ${reason}`.trim()

describe('memory scenarios', () => {
  const ids = memoryScenarios.map(({ id }) => id)
  let host: ConformanceHost
  before(async () => {
    host = await startConformanceHost('sqlite')
  })
  after(() => host[Symbol.asyncDispose]())

  test('pass through a proxy that changes nothing, and on a host that also ranks by meaning', async () => {
    const results = await outcomes(host.target, {}, ids)
    assert.deepEqual(
      results.filter(({ outcome }) => outcome !== 'executed-pass').map(({ id }) => id),
      ids.filter((id) => id in inapplicable),
      results.map(lineOf).join('\n'),
    )
    assert.deepEqual((await outcomes(host.target, withBudgetedReads(), [budgetScenario])).map(lineOf), [
      `${budgetScenario} executed-pass`,
    ])
  })

  test('notice every fault, and for the right reason', async () => {
    const faults = memoryFaults(host.target)
    const unnoticed: string[] = []
    const late: NoticedFault[] = []
    const judge = async (given: NoticedFault, isLast: boolean): Promise<void> => {
      const { name, scenario, reason, fault } = given
      const [result] = await outcomes(host.target, fault, [scenario])
      if (result?.outcome === 'executed-fail' && reason.test(result.reason)) return
      if (result?.outcome === 'blocked' && !isLast) late.push(given)
      else unnoticed.push(`${name}: ${result ? lineOf(result) : `there is no scenario ${scenario}`}`)
    }
    // Workers share the iterator. Some scenarios must see things in time: not all at once, and the late ones alone.
    const queue = faults.values()
    const work = async (): Promise<void> => {
      for (const fault of queue) await judge(fault, false)
    }
    await Promise.all(Array.from({ length: faultsAtOnce }, work))
    for (const fault of late) await judge(fault, true)
    assert.deepEqual(unnoticed, [])
    const tried = new Set(faults.map(({ scenario }) => scenario))
    assert.deepEqual(
      ids.filter((id) => !tried.has(id)),
      [],
      'scenarios without a fault',
    )
  })

  test('notice an agent that should be degraded and is not', async () => {
    const target = { ...host.target, degradedAgentId: seamAgentId }
    const [result] = await outcomes(target, {}, ['memory-degraded-projection'])
    assert.match(result ? lineOf(result) : '', /executed-fail memoryDegraded of core\.conformance\.memory-agent/)
  })
})

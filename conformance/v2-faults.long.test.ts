// The scenarios of version 2 against the real server behind a proxy: what passes without a fault fails with one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConformanceHost } from '../test/conformance/host.ts'
import { onEveryStorage as inapplicable } from '../test/conformance/inapplicable.ts'
import type { NoticedFault } from './proxy/noticed.ts'
import { startProxy } from './proxy/proxy.ts'
import { v2Faults } from './proxy/v2-faults.ts'
import { type Result, runConformance } from './run.ts'
import { v2Scenarios } from './scenarios/v2-index.ts'

/** The proxy changes no headers. That this one can fail is shown by `senseless.test.ts`. */
const withoutFault = ['v2-discovery-etag']
const patienceMs = 4_000

const lineOf = ({ id, outcome, reason }: Result): string => `${id} ${outcome} ${reason}`.trim()

test('each scenario of version 2 notices its fault, for the right reason', async () => {
  await using host = await startConformanceHost('sqlite')
  const faults = v2Faults(host.target)
  const unnoticed: string[] = []
  const judge = async ({ name, scenario, reason, fault }: NoticedFault): Promise<void> => {
    await using proxy = await startProxy(host.target.url, fault)
    const scenarios = v2Scenarios.filter(({ id }) => id === scenario)
    const [result] = await runConformance({ ...host.target, url: proxy.url }, scenarios, { patienceMs })
    if (result?.outcome === 'executed-fail' && reason.test(result.reason)) return
    unnoticed.push(`${name}: ${result ? lineOf(result) : 'there is no such scenario'}`)
  }
  // Workers share the iterator.
  const queue = faults.values()
  const work = async (): Promise<void> => {
    for (const fault of queue) await judge(fault)
  }
  await Promise.all(Array.from({ length: 8 }, work))
  assert.deepEqual(unnoticed, [])
  const tried = new Set([...faults.map(({ scenario }) => scenario), ...withoutFault, ...Object.keys(inapplicable)])
  assert.deepEqual(
    v2Scenarios.map(({ id }) => id).filter((id) => !tried.has(id)),
    [],
    'scenarios without a fault',
  )
})

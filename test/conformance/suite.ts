import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scenario } from '../../conformance/harness.ts'
import { loadPublished, neighbouringSchemas } from '../../conformance/published.ts'
import { allScenarios } from '../../conformance/registry.ts'
import { summaryOf } from '../../conformance/report.ts'
import { type Result, runConformance } from '../../conformance/run.ts'
import { page, proofsOf } from '../docs/conformance-proofs.ts'
import type { StorageName } from '../support/server.ts'
import { startConformanceHost } from './host.ts'
import type { Inapplicable } from './inapplicable.ts'

const jobs = 10

/** A pass, or inapplicable for exactly the reason that is known. Nothing may be blocked: here everything is at hand. */
function assertExpected({ id, outcome, reason }: Result, inapplicable: Inapplicable): void {
  const known = inapplicable[id]
  const expected =
    known === undefined ? { outcome: 'executed-pass', reason: '' } : { outcome: 'inapplicable', reason: known }
  assert.deepEqual({ outcome, reason }, expected)
}

/** Runs the whole suite against the real server on a storage, and makes one test of each scenario. */
export function describeConformance(
  storage: StorageName,
  inapplicable: Inapplicable,
  scenarios: readonly Scenario[] = allScenarios,
): void {
  test(`conformance on ${storage}`, async (context) => {
    await using host = await startConformanceHost(storage)
    const published = loadPublished(neighbouringSchemas())
    const started = Date.now()
    const results = await runConformance(host.target, scenarios, { jobs, published })
    const seconds = ((Date.now() - started) / 1_000).toFixed(1)
    const schemas = published.folder === null ? 'without' : 'with'
    context.diagnostic(`${storage}: ${summaryOf(results)} in ${seconds} s, ${schemas} the published schemas`)

    for (const result of results) await context.test(result.id, () => assertExpected(result, inapplicable))
    // Memory that ends with the process promises less, and the page says so.
    if (storage !== 'memory') {
      await context.test('every assertion that docs/CONFORMANCE.md names was made in this run', () => {
        const asserted = new Map(results.map(({ id, asserted: made }) => [id, made]))
        const missing = proofsOf(page).scenarios.filter(
          ({ scenario, asserts }) => !asserted.get(scenario)?.some((made) => made.includes(asserts)),
        )
        assert.deepEqual(missing, [])
      })
    }
    await context.test('every inapplicable id is a scenario', () => {
      const ids = new Set(allScenarios.map(({ id }) => id))
      assert.deepEqual(
        Object.keys(inapplicable).filter((id) => !ids.has(id)),
        [],
      )
    })
    await context.test('no key is in the log of the server', () => {
      const { key, keyB, lowScopeKey, revokedKey } = host.target
      for (const secret of [key, keyB, lowScopeKey, revokedKey]) assert.ok(!host.server.logs().includes(String(secret)))
    })
  })
}

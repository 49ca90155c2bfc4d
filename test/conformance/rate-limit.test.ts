import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allScenarios } from '../../conformance/registry.ts'
import { runConformance } from '../../conformance/run.ts'
import { startConformanceHost } from './host.ts'

test('a host over its rate limit responds as the protocol requires', async () => {
  // Enough to prepare the host, and too little for the 200 calls of the scenario even where a minute ends among them.
  await using host = await startConformanceHost('memory', { COLOPHON_RATE_LIMIT_PER_MIN: '60' })
  const scenarios = allScenarios.filter(({ id }) => id === 'rate-limit-envelope')
  const results = await runConformance(host.target, scenarios)
  assert.deepEqual(
    results.map(({ id, outcome, reason }) => ({ id, outcome, reason })),
    [{ id: 'rate-limit-envelope', outcome: 'executed-pass', reason: '' }],
  )
})

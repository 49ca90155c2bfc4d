// Every scenario can fail: what passes on a host that does right fails on one that is wrong everywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConformanceHost } from '../test/conformance/host.ts'
import { onEveryStorage } from '../test/conformance/inapplicable.ts'
import type { Target } from './harness.ts'
import { allScenarios } from './registry.ts'
import { fetchDiscovery, runConformance } from './run.ts'
import { type Senselessness, startSenselessHost } from './stub/senseless-host.ts'

const kinds: readonly Senselessness[] = ['refuses', 'nods', 'finds-nothing', 'misstates']

/** Nothing comes however long one waits. */
const patienceMs = 300

async function whoFails(kind: Senselessness, target: Target): Promise<string[]> {
  await using host = await startSenselessHost(kind, await fetchDiscovery(target))
  const options = { jobs: allScenarios.length, patienceMs }
  const results = await runConformance({ ...target, url: host.url }, allScenarios, options)
  return results.filter(({ outcome }) => outcome === 'executed-fail').map(({ id }) => id)
}

test('every scenario that binds this host fails on a host that is wrong everywhere', async () => {
  await using host = await startConformanceHost('sqlite')
  const failed = new Set((await Promise.all(kinds.map((kind) => whoFails(kind, host.target)))).flat())
  const binding = allScenarios.filter(({ id }) => onEveryStorage[id] === undefined)
  assert.deepEqual(
    binding.filter(({ id }) => !failed.has(id)).map(({ id }) => id),
    [],
  )
})

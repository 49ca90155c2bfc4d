// A node that resolves a secret of the host and shows only its digest.
import { asArray, at, isObject, type JsonObject, type RunEventDoc } from '../harness.ts'
import { completedRun, nodeOf, scenario } from '../support.ts'

const node = 'resolve-secret'

/** Hosts put the outputs of a node in different places of the snapshot. */
function outputsIn(snapshot: JsonObject): JsonObject | undefined {
  const places = [snapshot.variables, at(snapshot.variables, node), snapshot.outputs, at(snapshot.outputs, node)]
  return places.find((place): place is JsonObject => isObject(place) && 'secretSha256' in place)
}

export const scenarios = [
  scenario(
    'byok-roundtrip',
    'core 26.40',
    'A secret is resolved inside the host, and only its digest comes out',
    async (check) => {
      check.needsFamily('secrets')
      const { runId, snapshot } = await completedRun(check, { workflowId: 'openwop-smoke-byok-roundtrip' })
      const answer = await check.http('GET', `/v1/runs/${runId}/events`)
      check.equal(answer.status, 200, 'GET /events as JSON')
      check.ok(Array.isArray(answer.body.events), 'events is an array')
      const completed = (asArray(answer.body.events) as RunEventDoc[]).filter(
        (event) => event.type === 'node.completed' && nodeOf(event) === node,
      )
      check.equal(completed.length, 1, `the number of node.completed events of ${node}`)
      const recorded = at(completed[0]?.payload, 'outputs')
      const outputs = outputsIn(snapshot) ?? (isObject(recorded) ? recorded : {})
      check.matches(outputs.secretSha256, /^[0-9a-f]{64}$/, 'secretSha256')
      check.ok(Number(outputs.secretLength) > 0, 'secretLength is greater than 0')
    },
  ),
]

// Three nodes in a row.
import { asArray, type RunEventDoc } from '../harness.ts'
import { completedRun, nodeOf, ofType, scenario } from '../support.ts'

export const scenarios = [
  scenario('multi-node-ordering', 'core 26.18', 'Nodes complete in the order of their edges', async (check) => {
    const { runId } = await completedRun(check, { workflowId: 'conformance-multi-node' })
    const events = asArray((await check.poll(runId, { lastSequence: '0' })).events) as RunEventDoc[]
    const completed = ofType(events, 'node.completed').sort((a, b) => a.sequence - b.sequence)
    check.equal(
      completed.map(({ nodeId }) => nodeId),
      ['a', 'b', 'c'],
      'the nodeId of the envelopes',
    )
    for (const node of ['a', 'b', 'c']) {
      const started = events.find((event) => event.type === 'node.started' && nodeOf(event) === node)
      const ended = completed.find((event) => nodeOf(event) === node)
      check.ok(started && ended && started.sequence < ended.sequence, `${node} starts before it completes`)
    }
    for (const event of events) check.publishedEvent(event)
  }),

  scenario('identity-passthrough', 'core 26.27', 'A nested JSON input comes back as it was', async (check) => {
    const payload = {
      text: 'Grüße, 世界 🌍 "quoted" \\ back',
      number: -12.5,
      yes: true,
      nothing: null,
      list: [1, 'two', { three: [3] }],
      deep: { a: { b: { c: { d: [] } } } },
    }
    const { snapshot } = await completedRun(check, { workflowId: 'conformance-identity', inputs: { payload } })
    const variables = snapshot.variables as { payload?: unknown } | undefined
    check.equal(variables?.payload, payload, 'variables.payload')
  }),
]

// Version 2: ids that are bound to their tenant, in bodies and in paths.
import { boundId, scenarioV2, segmentOf } from '../../v2.ts'

const facts = 'v2 4, 14'

export const scenarios = [
  scenarioV2(
    'v2-bound-id-path-projection',
    facts,
    'A bound id is one segment of a path, and decoded once',
    async (check, v2) => {
      const runId = await v2.createRun({ workflowId: 'conformance-noop' })
      const [tenant = '', opaque = ''] = runId.split('/')
      for (const segment of [segmentOf(runId), encodeURIComponent(runId)]) {
        const answer = await v2.http('GET', `/runs/${segment}`)
        check.equal(answer.status, 200, 'the run by its segment')
        check.equal(answer.body.runId, runId, 'its id is bound')
      }
      const twice = await v2.http('GET', `/runs/${segmentOf(segmentOf(runId))}`)
      check.oneOf(twice.status, [400, 404], 'an id that was encoded twice')
      const malformed = await v2.http('GET', `/runs/${tenant}~2`)
      v2.refused(malformed, 400, 'validation_error', 'a ~ without two digits')
      const bare = await v2.http('GET', `/runs/${opaque}`)
      if (bare.status === 200) check.equal(bare.body.runId, runId, 'an id of version 1 reads as a bound one')
      else check.equal(bare.status, 400, 'an id without a tenant')
    },
  ),

  scenarioV2('v2-id-grammar', facts, 'An id of another tenant is refused before it is looked up', async (check, v2) => {
    const foreign = await v2.http('GET', `/runs/${segmentOf(`another-tenant/${'x'.repeat(22)}`)}`)
    check.refused(foreign, [403, 404], ['id_tenant_mismatch', 'not_found'], 'an id of another tenant')
    const runId = await v2.createRun({ workflowId: 'conformance-noop' })
    const [tenant = ''] = runId.split('/')
    const unknown = await v2.http('GET', `/runs/${segmentOf(`${tenant}/${'x'.repeat(22)}`)}`)
    v2.refused(unknown, 404, 'not_found', 'an unknown id of this tenant')
    if (check.target.keyB !== null) {
      const other = await v2.http('GET', `/runs/${segmentOf(runId)}`, { auth: 'keyB' })
      check.refused(other, [403, 404], ['id_tenant_mismatch', 'not_found'], 'the run for another tenant')
    }
  }),

  scenarioV2(
    'v2-bound-id-kinds',
    facts,
    'A run of version 1 reads bound under version 2, and its links too',
    async (check, v2) => {
      if (typeof check.discovery.protocolVersion !== 'string') check.inapplicable('the host does not speak version 1')
      check.needsFixture('conformance-noop')
      const old = await check.createRun({ workflowId: 'conformance-noop' })
      await check.waitFor(old)
      const snapshot = await v2.snapshot(old)
      check.matches(snapshot.runId, boundId, 'its id')
      check.equal(String(snapshot.runId).split('/')[1], old, 'the part after the tenant')
      for (const event of await v2.events(String(snapshot.runId)))
        check.equal(event.runId, snapshot.runId, `the runId of event ${event.sequence}`)
      const made = await v2.http('POST', '/runs', { body: { workflowId: 'conformance-noop' } })
      const { pathname } = new URL(String(made.body.eventsUrl), check.target.url)
      check.ok(pathname.includes(segmentOf(String(made.body.runId))), 'eventsUrl has the id as one segment')
      const read = await check.http('GET', `/v1/runs/${String(made.body.runId).split('/')[1]}`)
      check.equal(read.status, 200, 'a run of version 2 reads under /v1')
      check.ok(!String(read.body.runId).includes('/'), 'its id there has no tenant')
    },
  ),
]

// Reads that a host may offer: conditional GET of a run, the difference of two runs, ancestry, annotations.
import { asArray, at } from '../harness.ts'
import { completedRun, freshKey, scenario } from '../support.ts'

const noop = { workflowId: 'conformance-noop' }

export const scenarios = [
  scenario('conditional-run-get', 'core 7.2', 'A run that did not change is 304, and never stale', async (check) => {
    if (at(check.discovery, 'restTransport', 'conditionalRunGet') !== true)
      check.inapplicable('restTransport.conditionalRunGet is not advertised')
    const { runId } = await completedRun(check, noop)
    const first = await check.http('GET', `/v1/runs/${runId}`)
    const etag = first.headers.get('etag')
    check.matches(etag, /^"[^"]+"$/, 'a strong ETag')
    const again = await check.http('GET', `/v1/runs/${runId}`, { headers: { 'If-None-Match': String(etag) } })
    check.equal([again.status, again.text], [304, ''], 'a matching If-None-Match')
    const other = await check.http('GET', `/v1/runs/${runId}`, { headers: { 'If-None-Match': '"another"' } })
    check.equal(other.status, 200, 'another If-None-Match')
  }),

  scenario('run-diff', 'core 7.6', 'A run does not differ from itself, but from another one', async (check) => {
    const { runId } = await completedRun(check, noop)
    const same = await check.http('GET', `/v1/runs/${runId}:diff?against=${runId}`)
    if (same.status === 404) check.inapplicable('the host has no :diff')
    check.equal(same.status, 200, 'GET :diff')
    check.equal(same.body.divergedAtSeq, null, 'divergedAtSeq of the same run')
    check.equal(same.body.eventDiffs, [], 'eventDiffs of the same run')
    check.published('run-diff-response', same.json, 'the difference')
    const other = await completedRun(check, { workflowId: 'conformance-multi-node' })
    const different = await check.http('GET', `/v1/runs/${runId}:diff?against=${other.runId}`)
    check.ok(typeof different.body.divergedAtSeq === 'number', 'divergedAtSeq of different runs is a number')
    check.ok(asArray(different.body.eventDiffs).length > 0, 'eventDiffs of different runs is filled')
    check.published('run-diff-response', different.json, 'the difference')
  }),

  scenario('run-ancestry', 'core 7.6', 'Ancestry is served exactly when it is advertised', async (check) => {
    const path = ['multiAgent', 'executionModel', 'crossHostCausation', 'ancestryEndpointSupported']
    const { runId } = await completedRun(check, noop)
    const answer = await check.http('GET', `/v1/runs/${runId}/ancestry`)
    if (at(check.discovery, ...path) === true) {
      check.equal(answer.status, 200, 'GET ancestry')
      check.published('run-ancestry-response', answer.json, 'the ancestry')
    } else check.refused(answer, [404], null, 'GET ancestry')
  }),

  scenario(
    'annotations-unadvertised',
    'core 7.6',
    'Annotations are 501 where feedback is not advertised',
    async (check) => {
      if (check.family('feedback')?.supported === true) check.inapplicable('feedback is advertised')
      const { runId } = await completedRun(check, noop)
      const answer = await check.http('GET', `/v1/runs/${runId}/annotations`)
      check.refused(answer, [501, 404], ['capability_not_provided', 'not_found'], 'GET annotations')
    },
  ),

  scenario('run-dedup', 'core 7.8', 'A second active run of a scope is 409 under X-Dedup', async (check) => {
    check.needsFixture('conformance-cancellable')
    const body = { workflowId: 'conformance-cancellable', scopeId: freshKey() }
    const create = () => check.http('POST', '/v1/runs', { body, headers: { 'X-Dedup': 'enforce' } })
    const [first, second] = [await create(), await create()]
    check.equal(first.status, 201, 'the first run of the scope')
    const activeRunId = String(first.body.runId)
    await check.http('POST', '/v1/runs:bulk-cancel', {
      body: { runIds: [activeRunId, String(second.body.runId ?? '-')] },
    })
    check.refused(second, [409], ['run_already_active'], 'the second run of the scope')
    check.equal(at(second.body.details, 'activeRunId'), activeRunId, 'details.activeRunId')
    check.ok(second.headers.get('retry-after'), 'Retry-After is there')
  }),
]

// The export of a run for diagnosis.
import { canaries, marker } from '../canaries.ts'
import { asArray, at, type Check } from '../harness.ts'
import { completedRun, scenario, unknownId } from '../support.ts'

const facts = 'core 26.33'
const bundleOf = (check: Check, runId: string, query = '') =>
  check.http('GET', `/v1/runs/${runId}/debug-bundle${query}`)

export const scenarios = [
  scenario('debug-bundle.unadvertised', facts, 'A host that does not advertise it answers 404', async (check) => {
    if (check.family('debugBundle')?.supported === true) check.inapplicable('debugBundle is advertised')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    check.equal((await bundleOf(check, runId)).status, 404, 'GET debug-bundle')
  }),

  scenario('debug-bundle.content', facts, 'The bundle has the run and all its events', async (check) => {
    check.needsFamily('debugBundle')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const answer = await bundleOf(check, runId)
    check.equal(answer.status, 200, 'GET debug-bundle')
    check.matches(answer.headers.get('cache-control'), /no-store/, 'Cache-Control')
    const bundle = answer.body
    check.matches(bundle.bundleVersion, /^\d+\.\d+$/, 'bundleVersion')
    check.ok(!Number.isNaN(Date.parse(String(bundle.generatedAt))), 'generatedAt is a time')
    check.ok(typeof at(bundle.host, 'name') === 'string' && typeof at(bundle.host, 'version') === 'string', 'host')
    check.equal(at(bundle.run, 'runId'), runId, 'run.runId')
    check.equal(at(bundle.run, 'status'), 'completed', 'run.status')
    check.equal(bundle.events, await check.events(runId), 'events')
    check.ok(typeof bundle.redactionApplied === 'boolean', 'redactionApplied is a boolean')
    check.oneOf(bundle.redactionMode, ['mask', 'omit', 'hash', 'passthrough'], 'redactionMode')
    check.ok(
      !(bundle.redactionApplied && bundle.redactionMode === 'passthrough'),
      'redaction was not applied as passthrough',
    )
    const eventCount = at(bundle.metrics, 'eventCount')
    if (eventCount !== undefined) check.equal(eventCount, asArray(bundle.events).length, 'metrics.eventCount')
    check.published('debug-bundle', answer.json, 'the bundle')
  }),

  scenario('debug-bundle.canary', facts, 'The bundle holds nothing of undeclared inputs', async (check) => {
    check.needsFamily('debugBundle')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop', inputs: { ...canaries } })
    const answer = await bundleOf(check, runId)
    check.equal(answer.status, 200, 'GET debug-bundle')
    check.absent(answer.text, marker, 'the bundle holds no canary')
  }),

  scenario('debug-bundle.access', facts, 'The bundle needs a credential and a run', async (check) => {
    check.needsFamily('debugBundle')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const path = `/v1/runs/${runId}/debug-bundle`
    check.refused(await check.http('GET', path, { auth: 'none' }), [401], null, 'GET without a credential')
    check.refused(await bundleOf(check, unknownId()), [403, 404], null, 'GET of an unknown run')
  }),

  scenario('debug-bundle-truncation', 'core 26.34', 'A shortened bundle says so', async (check) => {
    check.needsFamily('debugBundle')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const answer = await bundleOf(check, runId, '?maxEvents=1')
    check.equal(answer.status, 200, 'GET debug-bundle?maxEvents=1')
    const all = await check.events(runId)
    const shown = asArray(answer.body.events).length
    const promised = at(check.discovery, 'production', 'debugBundle', 'truncationMetadata') === true
    if (shown === all.length && !promised) check.inapplicable('the host does not take maxEvents, which is optional')
    check.equal(shown, 1, 'the number of events')
    check.equal(answer.body.truncated, true, 'truncated')
    if (answer.body.truncatedReason !== undefined)
      check.ok(typeof answer.body.truncatedReason === 'string', 'truncatedReason is a text')
    check.published('debug-bundle', answer.json, 'the shortened bundle')
  }),
]

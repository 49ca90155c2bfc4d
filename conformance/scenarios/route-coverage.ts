// Routes that every host has, with known and unknown names; artifacts; unversioned paths.
import { asArray } from '../harness.ts'
import { completedRun, scenario, strings, unknownId } from '../support.ts'

const facts = 'core 26.23'

export const scenarios = [
  scenario('route-coverage.workflow', facts, 'A seeded workflow can be read', async (check) => {
    check.needsFixture('conformance-noop')
    const answer = await check.http('GET', '/v1/workflows/conformance-noop')
    check.equal(answer.status, 200, 'GET /v1/workflows/conformance-noop')
    check.equal(answer.body.id, 'conformance-noop', 'id')
    check.ok(Array.isArray(answer.body.nodes), 'nodes is an array')
    check.published('workflow-definition', answer.json, 'the workflow')
  }),

  scenario('fixtures-valid', 'core 25, 28.3', 'Every advertised fixture can be read and is valid', async (check) => {
    const fixtures = strings(check.discovery.fixtures)
    if (fixtures.length === 0) check.inapplicable('the host advertises no fixtures')
    for (const id of fixtures) {
      const answer = await check.http('GET', `/v1/workflows/${id}`)
      check.equal(answer.status, 200, `GET /v1/workflows/${id}`)
      check.equal(answer.body.id, id, `the id of ${id}`)
      check.published('workflow-definition', answer.json, id)
    }
  }),

  scenario('route-coverage.unknown', facts, 'Unknown workflows and artifacts are 403 or 404', async (check) => {
    const workflow = await check.http('GET', `/v1/workflows/${unknownId()}`)
    check.refused(workflow, [403, 404], null, 'an unknown workflow')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const artifact = await check.http('GET', `/v1/runs/${runId}/artifacts/${unknownId()}`)
    check.refused(artifact, [403, 404], null, 'an unknown artifact')
  }),

  scenario('route-coverage.webhooks', facts, 'Webhook routes answer bad input with the envelope', async (check) => {
    const bad = await check.http('POST', '/v1/webhooks', { body: { url: 'not a url', events: ['run.completed'] } })
    check.refused(bad, [400, 403, 404, 422], null, 'POST /v1/webhooks with a bad url')
    const gone = await check.http('DELETE', `/v1/webhooks/${unknownId()}`)
    check.oneOf(gone.status, [204, 403, 404], 'DELETE of an unknown webhook')
  }),

  scenario(
    'artifact-auth',
    'core 26.24',
    'An artifact asks for the credential before it says whether it exists',
    async (check) => {
      const answer = await check.http('GET', `/v1/runs/${unknownId()}/artifacts/${unknownId()}`, { auth: 'none' })
      check.equal(answer.status, 401, 'GET of an artifact without a credential')
      if (answer.json !== undefined) check.equal(answer.body.error, 'unauthenticated', 'the code')
    },
  ),

  scenario(
    'route-coverage.unversioned',
    'core 1, 28.1.25',
    'Paths without a version are 400 on a host of v1 only',
    async (check) => {
      const versions = asArray(check.discovery.protocolVersions)
      if (versions.some((version) => String(version).startsWith('2.'))) check.inapplicable('the host serves v2 there')
      for (const path of ['/runs', `/runs/${unknownId()}`, '/workflows/conformance-noop'])
        check.refused(
          await check.http('GET', path),
          [400],
          null,
          `GET ${path.replace(/conformance-unknown.*/, '<unknown>')}`,
        )
    },
  ),
]

// Tenants do not see each other's runs, and test seams are not open.
import { isObject } from '../harness.ts'
import { completedRun, scenario, unknownId } from '../support.ts'

const seams: readonly (readonly [string, string])[] = [
  ['POST', '/v1/host/sample/memory/distill'],
  ['POST', '/v1/host/sample/memory/consolidate'],
  ['POST', '/v1/host/sample/commitment/fire'],
  ['POST', '/v1/host/sample/heartbeat/tick'],
  ['POST', '/v1/host/sample/identity/cross-workspace-read'],
  ['GET', '/v1/host/sample/test/otel/spans?runId=none'],
]

export const scenarios = [
  scenario('cross-tenant-isolation', 'core 3.3', 'Another tenant gets at a run on no route', async (check) => {
    if (check.target.keyB === null) check.blocked('needs a key of another tenant (--key-b)')
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const before = await check.events(runId)
    const run = `/v1/runs/${runId}`
    const reads = [run, `${run}/events`, `${run}/events/poll?timeout=1`, `${run}/debug-bundle`, `${run}/artifacts/any`]
    for (const path of reads) {
      const answer = await check.http('GET', path, { auth: 'keyB' })
      check.refused(answer, [403, 404], null, `GET ${path.replace(runId, '<run>')}`)
      check.absent(answer.text, 'run.started', `GET ${path.replace(runId, '<run>')} shows nothing of the run`)
    }
    const writes: [string, unknown][] = [
      [`${run}/cancel`, {}],
      [`${run}:fork`, { mode: 'replay', fromSeq: 0 }],
      [`${run}/interrupts/gate`, { resumeValue: { action: 'accept' } }],
    ]
    for (const [path, body] of writes) {
      const answer = await check.http('POST', path, { body, auth: 'keyB' })
      check.refused(answer, [403, 404], null, `POST ${path.replace(runId, '<run>')}`)
    }
    check.equal(await check.events(runId), before, 'the events afterwards')
  }),

  scenario('cross-tenant-isolation.body', 'core 3.3', 'A tenantId in the body is no authority', async (check) => {
    check.needsFixture('conformance-noop')
    const body = { workflowId: 'conformance-noop', tenantId: 'another-tenant' }
    const answer = await check.http('POST', '/v1/runs', { body })
    check.oneOf(answer.status, [201, 400, 403, 404, 422], 'POST /v1/runs with a foreign tenantId')
    if (answer.status !== 201) return
    const { owner } = await check.waitFor(String(answer.body.runId))
    if (isObject(owner)) check.ok(owner.tenant !== 'another-tenant', 'the owner is the tenant of the key')
  }),

  scenario('identity-owner-shape', 'core 26.52, 3.3', 'The owner of a run names its tenant', async (check) => {
    const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-noop' })
    const { owner } = snapshot
    if (owner === undefined) check.inapplicable('the host shows no owner, as a host of one tenant may')
    check.ok(isObject(owner), 'owner is an object')
    if (!isObject(owner)) return
    check.ok(typeof owner.tenant === 'string' && owner.tenant !== '', 'owner.tenant is a text')
    for (const field of ['workspace', 'principal'])
      if (owner[field] !== undefined) check.ok(typeof owner[field] === 'string', `owner.${field} is a text`)
    const { payload } = (await check.events(runId))[0] ?? {}
    if (isObject(payload) && payload.owner !== undefined) check.equal(payload.owner, owner, 'the owner in run.started')
  }),

  scenario(
    'cross-workspace-isolation',
    'core 26.48',
    'The seam that reads across workspaces is refused',
    async (check) => {
      const path = '/v1/host/sample/identity/cross-workspace-read'
      const answer = await check.http('POST', path, { body: {} })
      // A host without the seam refuses it like any path it does not know, which shows nothing.
      const nowhere = await check.http('POST', `/v1/host/sample/${unknownId()}`, { body: {} })
      const isSame = answer.status === nowhere.status && answer.body.error === nowhere.body.error
      if (isSame && answer.body.message === nowhere.body.message) check.inapplicable('the host has no such seam')
      check.ok(answer.status >= 400, `POST ${path} is refused, not ${answer.status}`)
      check.oneOf(answer.body.error, ['run_forbidden', 'not_found'], 'the code')
    },
  ),

  scenario(
    'test-seam-unauthenticated',
    'core 26.49',
    'Test seams do not answer without a credential',
    async (check) => {
      for (const [method, path] of seams) {
        const options = method === 'POST' ? { auth: 'none', body: {} } : { auth: 'none' }
        check.oneOf((await check.http(method, path, options)).status, [401, 403, 404, 405, 501], `${method} ${path}`)
      }
    },
  ),
]

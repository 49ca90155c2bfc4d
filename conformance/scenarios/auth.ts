// Who gets in: no credential, a wrong one, a revoked one, one with too few scopes.
import { scenario, unknownId } from '../support.ts'

const facts = 'core 26.2'
const body = { workflowId: 'conformance-noop' }

export const scenarios = [
  scenario('auth.missing', facts, 'A call without a credential is 401', async (check) => {
    const answer = await check.http('POST', '/v1/runs', { body, auth: 'none' })
    check.refused(answer, [401], ['unauthenticated'], 'POST /v1/runs without a header')
  }),

  scenario('auth.unknown-key', facts, 'A call with an unknown key is 401, not 403', async (check) => {
    const answer = await check.http('POST', '/v1/runs', { body, auth: unknownId() })
    check.refused(answer, [401], null, 'POST /v1/runs with a made-up bearer')
  }),

  scenario('auth.malformed', 'core 3.1', 'A malformed Authorization header is 401', async (check) => {
    for (const header of ['Bearer', 'Bearer ', 'Basic', check.target.key.slice(0, 4)]) {
      const answer = await check.http('POST', '/v1/runs', { body, auth: 'none', headers: { Authorization: header } })
      check.refused(answer, [401], null, 'POST /v1/runs with a malformed header')
    }
  }),

  scenario(
    'auth.before-existence',
    'core 3.1, 28.4.14',
    'Every run route asks for the credential first',
    async (check) => {
      const run = `/v1/runs/${unknownId()}`
      const calls: [string, string][] = [
        ['GET', run],
        ['GET', `${run}/events`],
        ['GET', `${run}/events/poll?timeout=1`],
        ['POST', `${run}/cancel`],
        ['POST', '/v1/runs:bulk-cancel'],
        ['POST', `${run}:fork`],
        ['POST', `${run}/interrupts/gate`],
        ['GET', '/v1/workflows/conformance-noop'],
        ['POST', '/v1/webhooks'],
        ['DELETE', `/v1/webhooks/${unknownId()}`],
      ]
      for (const [method, path] of calls) {
        const options = method === 'POST' ? { auth: 'none', body: {} } : { auth: 'none' }
        check.equal((await check.http(method, path, options)).status, 401, `${method} ${path} without a credential`)
      }
    },
  ),

  scenario('auth.revoked', 'core 3.1', 'A revoked key is 401', async (check) => {
    const key = check.target.revokedKey
    if (key === null) return check.blocked('needs a revoked key (--revoked-key)')
    const answer = await check.http('POST', '/v1/runs', { body, auth: key })
    check.refused(answer, [401], ['unauthenticated', 'key_revoked'], 'POST /v1/runs with a revoked key')
  }),

  scenario('auth.scope', 'core 3.1', 'A valid key without the scope is 403', async (check) => {
    const key = check.target.lowScopeKey
    if (key === null) return check.blocked('needs a key without runs:create (--low-scope-key)')
    const answer = await check.http('POST', '/v1/runs', { body, auth: key })
    check.refused(answer, [403], ['forbidden'], 'POST /v1/runs without runs:create')
  }),
]

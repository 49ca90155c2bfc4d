// The error envelope and what a create refuses.
import { type Answer, type Check, isObject } from '../harness.ts'
import { scenario, unknownId } from '../support.ts'

const facts = 'core 26.22'
const allowed = ['error', 'message', 'details']

function closedEnvelope(check: Check, answer: Answer, what: string): void {
  check.equal(
    Object.keys(answer.body).filter((key) => !allowed.includes(key)),
    [],
    `${what}: keys beyond the envelope`,
  )
  const { details } = answer.body
  if (details === undefined) return
  check.ok(isObject(details), `${what}: details is an object`)
  const correlationId = isObject(details) ? details.correlationId : undefined
  if (correlationId !== undefined)
    check.ok(typeof correlationId === 'string' && correlationId !== '', `${what}: correlationId is a text`)
}

export const scenarios = [
  scenario('errors.unknown-run', facts, 'An unknown run answers with the flat envelope', async (check) => {
    const answer = await check.http('GET', `/v1/runs/${unknownId()}`)
    check.refused(answer, [403, 404], null, 'GET of an unknown run')
    closedEnvelope(check, answer, 'GET of an unknown run')
  }),

  scenario(
    'errors.empty-create',
    facts,
    'A create without a workflowId is 4xx with the flat envelope',
    async (check) => {
      const answer = await check.http('POST', '/v1/runs', { body: {} })
      check.refused(answer, [400, 404, 409, 415, 422], null, 'POST /v1/runs {}')
      closedEnvelope(check, answer, 'POST /v1/runs {}')
    },
  ),

  scenario(
    'errors.bad-create',
    'core 7.1',
    'A body that is no JSON, or of another shape, is 400 or 422',
    async (check) => {
      for (const body of ['{', '[]', '"text"', '{"workflowId":17}', '{"workflowId":"conformance-noop","inputs":[]}']) {
        const answer = await check.http('POST', '/v1/runs', { body })
        check.refused(answer, [400, 422], ['validation_error'], `POST /v1/runs ${body}`)
        closedEnvelope(check, answer, `POST /v1/runs ${body}`)
      }
    },
  ),

  scenario('errors.unknown-workflow', 'core 7.1', 'An unknown workflow is 400 or 404', async (check) => {
    const answer = await check.http('POST', '/v1/runs', { body: { workflowId: unknownId() } })
    check.refused(answer, [400, 404], ['validation_error', 'not_found', 'workflow_not_found'], 'an unknown workflowId')
    closedEnvelope(check, answer, 'an unknown workflowId')
  }),

  scenario('errors.unauthenticated', facts, 'A 401 has the flat envelope', async (check) => {
    const answer = await check.http('GET', `/v1/runs/${unknownId()}`, { auth: 'none' })
    check.refused(answer, [401], null, 'GET without a credential')
    closedEnvelope(check, answer, 'GET without a credential')
  }),
]

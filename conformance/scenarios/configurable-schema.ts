// A workflow that says which options it takes.
import { isObject } from '../harness.ts'
import { scenario } from '../support.ts'

const facts = 'core 26.30'
const fixture = 'conformance-configurable-schema'

export const scenarios = [
  scenario('configurable-schema.shown', facts, 'The workflow shows its configurableSchema', async (check) => {
    check.needsFixture(fixture)
    const answer = await check.http('GET', `/v1/workflows/${fixture}`)
    check.equal(answer.status, 200, `GET /v1/workflows/${fixture}`)
    check.ok(isObject(answer.body.configurableSchema), 'configurableSchema is an object')
  }),

  scenario('configurable-schema.refused', facts, 'Options against the schema are 400 or 422', async (check) => {
    check.needsFixture(fixture)
    const wrong = [{ unknownOption: true }, { recursionLimit: 'three' }, { recursionLimit: 0 }, { tags: [1] }]
    for (const configurable of wrong) {
      const answer = await check.http('POST', '/v1/runs', { body: { workflowId: fixture, configurable } })
      check.refused(answer, [400, 422], ['validation_error'], JSON.stringify(configurable))
    }
  }),

  scenario('configurable-schema.accepted', facts, 'Options that fit are taken', async (check) => {
    check.needsFixture(fixture)
    const runId = await check.createRun({ workflowId: fixture, configurable: { recursionLimit: 5, tags: ['a'] } })
    check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
  }),
]

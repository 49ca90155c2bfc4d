// A run from its creation to its end.
import { scenario, unknownId } from '../support.ts'

const facts = 'core 26.3'
const openStatuses = ['pending', 'running', 'waiting-approval', 'waiting-input', 'waiting-external']

export const scenarios = [
  scenario('runs-lifecycle', facts, 'A noop run is created and completes', async (check) => {
    check.needsFixture('conformance-noop')
    const created = await check.http('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' } })
    check.equal(created.status, 201, 'POST /v1/runs')
    const runId = created.body.runId
    check.ok(typeof runId === 'string' && runId !== '', 'runId is a text')
    check.oneOf(created.body.status, openStatuses, 'the status of a created run')
    check.ok(typeof created.body.eventsUrl === 'string', 'eventsUrl is a text')
    const snapshot = await check.waitFor(String(runId))
    check.equal(snapshot.status, 'completed', 'the terminal status')
    check.equal(snapshot.runId, runId, 'the runId of the snapshot')
    check.equal(snapshot.workflowId, 'conformance-noop', 'the workflowId of the snapshot')
    check.published('run-snapshot', snapshot, 'the snapshot')
  }),

  scenario('runs-lifecycle.unknown', facts, 'An unknown run is 404 or 403', async (check) => {
    const id = unknownId()
    for (const path of [`/v1/runs/${id}`, `/v1/runs/${id}/events`, `/v1/runs/${id}/events/poll?timeout=1`])
      check.refused(await check.http('GET', path), [403, 404], null, `GET ${path.replace(id, '<unknown>')}`)
  }),

  scenario(
    'runs-lifecycle.options',
    'core 14',
    'tags, metadata and configurable come back on the snapshot',
    async (check) => {
      check.needsFixture('conformance-noop')
      const options = { tags: ['conformance', 'blue'], metadata: { ticket: 17 }, configurable: { recursionLimit: 10 } }
      const runId = await check.createRun({ workflowId: 'conformance-noop', ...options })
      const snapshot = await check.waitFor(runId)
      check.equal(snapshot.status, 'completed', 'the terminal status')
      check.equal(snapshot.tags, options.tags, 'tags')
      check.equal(snapshot.metadata, options.metadata, 'metadata')
      check.equal(snapshot.configurable, options.configurable, 'configurable')
    },
  ),
]

// A run that fails is created like any other and says why it failed.
import { isObject } from '../harness.ts'
import { finishedRun, ofType, scenario } from '../support.ts'

export const scenarios = [
  scenario(
    'failure-path',
    'core 26.5',
    'A failing run is 201, ends failed and carries code and message',
    async (check) => {
      const { runId, snapshot } = await finishedRun(check, { workflowId: 'conformance-failure' })
      check.equal(snapshot.status, 'failed', 'the terminal status')
      const { error } = snapshot
      check.ok(isObject(error), 'error is an object')
      if (!isObject(error)) return
      check.ok(typeof error.code === 'string' && error.code !== '', 'error.code is a text')
      check.ok(typeof error.message === 'string' && error.message !== '', 'error.message is a text')
      check.published('run-snapshot', snapshot, 'the snapshot')
      const events = await check.events(runId)
      check.equal(ofType(events, 'run.failed').length, 1, 'the number of run.failed events')
      for (const event of events) check.publishedEvent(event)
    },
  ),
]

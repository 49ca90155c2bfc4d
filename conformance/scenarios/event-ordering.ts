// The log: strictly ordered, the same on every read, ended by exactly one terminal event.
import type { Check, RunEventDoc } from '../harness.ts'
import { completedRun, scenario, terminalEvents } from '../support.ts'

const facts = 'core 26.4'

async function noopLog(check: Check): Promise<{ runId: string; events: RunEventDoc[] }> {
  const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
  return { runId, events: await check.events(runId) }
}

export const scenarios = [
  scenario('event-ordering.sequence', facts, 'Sequences begin at 0 and only grow', async (check) => {
    const { events } = await noopLog(check)
    check.ok(events.length >= 2, 'a finished run has at least a beginning and an end')
    check.equal(events[0]?.sequence, 0, 'the first sequence')
    for (const [index, event] of events.entries()) {
      const before = events[index - 1]
      if (before) check.ok(event.sequence > before.sequence, `sequence ${event.sequence} follows ${before.sequence}`)
    }
  }),

  scenario('event-ordering.terminal', facts, 'Exactly one terminal event, and it is the last one', async (check) => {
    const { events } = await noopLog(check)
    const terminal = events.filter(({ type }) => terminalEvents.includes(type))
    check.equal(terminal.length, 1, 'the number of terminal events')
    check.ok(
      terminalEvents.includes(String(events.at(-1)?.type)),
      `the last event is terminal, not ${events.at(-1)?.type}`,
    )
  }),

  scenario('event-ordering.repeatable', facts, 'Reading a finished log twice gives the same', async (check) => {
    const { runId, events } = await noopLog(check)
    check.ok(events.length > 0, 'the log is not empty')
    check.equal(await check.events(runId), events, 'the second read')
  }),

  scenario('event-ordering.schema', 'core 8.1, 8.3', 'Events and payloads have the published shape', async (check) => {
    const { runId, events } = await noopLog(check)
    for (const event of events) {
      check.equal(event.runId, runId, 'the runId of an event')
      check.publishedEvent(event)
    }
    check.equal(events[0]?.type, 'run.started', 'the first event')
  }),

  scenario(
    'event-ordering.sse-agrees',
    'core 10',
    'The debug stream shows the same events as polling',
    async (check) => {
      const { runId, events } = await noopLog(check)
      const stream = await check.sse(`/v1/runs/${runId}/events?streamMode=debug`)
      check.equal(stream.status, 200, 'the debug stream')
      check.equal(
        stream.frames.map(({ data }) => data),
        events,
        'the events of the stream',
      )
    },
  ),
]

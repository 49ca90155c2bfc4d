// bufferMs: events in batches, flushed at the latest when the run ends.
import { asArray, at, type Check, type SseResult } from '../harness.ts'
import { scenario, terminalEvents } from '../support.ts'

const facts = 'core 26.14'

async function stream(check: Check, bufferMs: number, delayMs = 1000): Promise<SseResult> {
  check.needsFixture('conformance-delay')
  const runId = await check.createRun({ workflowId: 'conformance-delay', inputs: { delayMs } })
  return check.sse(`/v1/runs/${runId}/events?bufferMs=${bufferMs}`)
}

/** When the batch with the terminal event came, counted from the request. */
async function terminalArrival(check: Check, bufferMs: number): Promise<number> {
  const { frames } = await stream(check, bufferMs)
  const last = frames.find(
    ({ event, data }) =>
      event === 'batch' && asArray(data).some((item) => terminalEvents.includes(String(at(item, 'type')))),
  )
  check.ok(last, 'a batch holds the terminal event')
  return last?.atMs ?? Number.POSITIVE_INFINITY
}

export const scenarios = [
  scenario('stream-modes-buffer.batches', facts, 'bufferMs=200 sends arrays of events', async (check) => {
    const { status, frames, closedBy } = await stream(check, 200)
    check.equal(status, 200, 'the buffered stream')
    const batches = frames.filter(({ event }) => event === 'batch')
    check.ok(batches.length >= 1, 'at least one batch frame')
    for (const { data, id } of batches) {
      check.ok(Array.isArray(data), 'the data of a batch is an array')
      for (const event of asArray(data)) {
        check.ok(typeof at(event, 'sequence') === 'number', 'an event of a batch has a sequence')
        check.ok(typeof at(event, 'type') === 'string', 'an event of a batch has a type')
      }
      check.equal(Number(id), at(asArray(data).at(-1), 'sequence'), 'the id of a batch and its highest sequence')
    }
    check.equal(closedBy, 'server', 'who closed the stream')
  }),

  scenario(
    'stream-modes-buffer.flush',
    facts,
    'The end of the run is not held back by a long buffer',
    async (check) => {
      // What is held back comes when the buffer's time is over and never before, so once in time is enough. A single
      // late end may be the fault of the machine.
      const bufferMs = 4000
      let arrivedMs = await terminalArrival(check, bufferMs)
      if (arrivedMs >= bufferMs) arrivedMs = await terminalArrival(check, bufferMs)
      check.ok(arrivedMs < bufferMs, `the end came after ${arrivedMs} ms, so it was held back`)
    },
    { isAlone: true },
  ),

  scenario('stream-modes-buffer.off', facts, 'bufferMs=0 sends no batches', async (check) => {
    const { status, frames } = await stream(check, 0, 100)
    check.equal(status, 200, 'the unbuffered stream')
    check.ok(frames.length > 0, 'the stream has frames')
    check.equal(frames.filter(({ event }) => event === 'batch').length, 0, 'the number of batch frames')
  }),

  scenario('stream-modes-buffer.range', facts, 'bufferMs=99999 is 400', async (check) => {
    check.needsFixture('conformance-noop')
    const runId = await check.createRun({ workflowId: 'conformance-noop' })
    for (const value of ['99999', '5001', '-1', 'soon'])
      check.refused(
        await check.http('GET', `/v1/runs/${runId}/events?bufferMs=${value}`),
        [400],
        null,
        `bufferMs=${value}`,
      )
  }),
]

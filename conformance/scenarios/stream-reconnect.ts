// Coming back to a stream with Last-Event-ID.
import { completedRun, scenario } from '../support.ts'

const facts = 'core 26.16'

export const scenarios = [
  scenario(
    'stream-reconnect.resume',
    facts,
    'A stream goes on after the last seen event, without a gap',
    async (check) => {
      check.needsFixture('conformance-delay')
      const runId = await check.createRun({ workflowId: 'conformance-delay', inputs: { delayMs: 1000 } })
      const path = `/v1/runs/${runId}/events?streamMode=debug`
      const first = await check.sse(path, { stopWhen: () => true })
      const lastSeen = Number(first.frames.at(-1)?.id ?? Number.NaN)
      check.ok(Number.isInteger(lastSeen), 'the id of a frame is a sequence')
      const second = await check.sse(path, { headers: { 'Last-Event-ID': String(lastSeen) } })
      check.equal(second.status, 200, 'the second connection')
      const resumed = second.frames.map(({ id }) => Number(id))
      check.ok(resumed.length > 0, 'the second connection shows the rest')
      for (const sequence of resumed)
        check.ok(sequence >= lastSeen - 1, `${sequence} is not before ${lastSeen} by more than one`)
      const seen = new Set([...first.frames.map(({ id }) => Number(id)), ...resumed])
      for (const { sequence } of await check.events(runId)) check.ok(seen.has(sequence), `event ${sequence} was seen`)
    },
  ),

  scenario('stream-reconnect.middle', facts, 'A finished log can be taken up in its middle', async (check) => {
    const { runId } = await completedRun(check, { workflowId: 'conformance-multi-node' })
    const sequences = (await check.events(runId)).map(({ sequence }) => sequence)
    const lastSeen = sequences[Math.floor(sequences.length / 2)] ?? 0
    const headers = { 'Last-Event-ID': String(lastSeen) }
    const stream = await check.sse(`/v1/runs/${runId}/events?streamMode=debug`, { headers })
    check.equal(stream.status, 200, 'the connection')
    const shown = stream.frames.map(({ id }) => Number(id))
    check.equal(
      shown.filter((sequence) => sequence < lastSeen - 1),
      [],
      'frames from before the point',
    )
    check.equal(
      shown.filter((sequence) => sequence > lastSeen),
      sequences.filter((s) => s > lastSeen),
      'frames after it',
    )
  }),

  scenario('stream-reconnect.after-end', facts, 'After the terminal event there is nothing more', async (check) => {
    const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
    const last = (await check.events(runId)).at(-1)?.sequence ?? 0
    const headers = { 'Last-Event-ID': String(last) }
    const stream = await check.sse(`/v1/runs/${runId}/events`, { headers })
    check.equal(stream.status, 200, 'the connection after the end')
    check.equal(stream.frames.filter(({ id }) => Number(id) > last).length, 0, 'frames after the end')
    check.equal(stream.closedBy, 'server', 'who closed the stream')
  }),

  scenario(
    'stream-reconnect.many',
    'core 9.1',
    'Subscribers with different modes are served at once',
    async (check) => {
      check.needsFixture('conformance-delay')
      const runId = await check.createRun({ workflowId: 'conformance-delay', inputs: { delayMs: 500 } })
      const modes = ['updates', 'values', 'debug', 'updates']
      const streams = await Promise.all(modes.map((mode) => check.sse(`/v1/runs/${runId}/events?streamMode=${mode}`)))
      for (const [index, stream] of streams.entries()) {
        check.equal(stream.status, 200, `subscriber ${index + 1} (${modes[index]})`)
        check.equal(stream.closedBy, 'server', `who closed subscriber ${index + 1}`)
        check.ok(stream.frames.length > 0, `subscriber ${index + 1} has frames`)
      }
    },
  ),
]

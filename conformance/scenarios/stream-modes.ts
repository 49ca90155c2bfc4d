// What each streamMode shows, alone and together.
import { type Check, isObject, type SseResult } from '../harness.ts'
import { scenario, terminalEvents } from '../support.ts'

const facts = 'core 26.13'
const mixedFacts = 'core 26.15'

async function streamDelay(check: Check, streamMode: string): Promise<SseResult> {
  check.needsFixture('conformance-delay')
  const runId = await check.createRun({ workflowId: 'conformance-delay', inputs: { delayMs: 1000 } })
  return check.sse(`/v1/runs/${runId}/events?streamMode=${streamMode}`)
}

function closedWell(check: Check, stream: SseResult, mode: string): void {
  check.equal(stream.status, 200, `the ${mode} stream`)
  check.matches(stream.headers.get('content-type'), /^text\/event-stream/, `the content type of ${mode}`)
  check.equal(stream.closedBy, 'server', `who closed the ${mode} stream`)
}

const names = (stream: SseResult): string[] => stream.frames.map(({ event }) => event)

export const scenarios = [
  scenario('stream-modes.updates', facts, 'updates shows the begin and the end, then closes', async (check) => {
    const stream = await streamDelay(check, 'updates')
    closedWell(check, stream, 'updates')
    for (const type of ['run.started', 'node.completed', 'run.completed'])
      check.ok(names(stream).includes(type), `updates has ${type}`)
    for (const type of ['node.started', 'variable.changed', 'log.appended', 'version.pinned'])
      check.ok(!names(stream).includes(type), `updates leaves out ${type}`)
    check.ok(terminalEvents.includes(names(stream).at(-1) ?? ''), 'the last frame is terminal')
    for (const { id, data } of stream.frames)
      check.equal(Number(id), isObject(data) ? data.sequence : undefined, 'the id of a frame and its sequence')
  }),

  scenario('stream-modes.default', 'core 9.2', 'Without a mode the stream is updates', async (check) => {
    check.needsFixture('conformance-noop')
    const runId = await check.createRun({ workflowId: 'conformance-noop' })
    await check.waitFor(runId)
    const byDefault = await check.sse(`/v1/runs/${runId}/events`)
    const updates = await check.sse(`/v1/runs/${runId}/events?streamMode=updates`)
    check.ok(byDefault.frames.length > 0, 'the stream is not empty')
    check.equal(names(byDefault), names(updates), 'the frames without a mode')
  }),

  scenario('stream-modes.values', facts, 'values shows snapshots, then closes', async (check) => {
    const stream = await streamDelay(check, 'values')
    closedWell(check, stream, 'values')
    check.ok(stream.frames.length >= 1, 'values has at least one frame')
    for (const { event, data } of stream.frames) {
      check.equal(event, 'state.snapshot', 'the name of a values frame')
      check.published('run-snapshot', data, 'a values frame')
    }
    const last = stream.frames.at(-1)?.data
    check.equal(isObject(last) ? last.status : undefined, 'completed', 'the status of the last snapshot')
  }),

  scenario('stream-modes.debug', facts, 'debug shows at least what updates shows', async (check) => {
    const debug = await streamDelay(check, 'debug')
    const updates = await streamDelay(check, 'updates')
    closedWell(check, debug, 'debug')
    check.ok(debug.frames.length >= updates.frames.length, 'debug has as many frames as updates, or more')
    check.ok(names(debug).includes('node.started'), 'debug has node.started')
  }),

  scenario('stream-modes.messages', 'core 9.2', 'messages shows no events of the run itself', async (check) => {
    const stream = await streamDelay(check, 'messages')
    if (stream.status === 400) check.inapplicable('the host does not support messages')
    closedWell(check, stream, 'messages')
    const others = names(stream).filter((name) => name.startsWith('run.') || name.startsWith('node.'))
    check.equal(others, [], 'frames that are no messages')
  }),

  scenario('stream-modes.unknown', facts, 'An unknown mode is 400 and names the supported ones', async (check) => {
    check.needsFixture('conformance-noop')
    const runId = await check.createRun({ workflowId: 'conformance-noop' })
    for (const mode of ['bogus', 'updates,bogus', 'values,updates']) {
      const answer = await check.http('GET', `/v1/runs/${runId}/events?streamMode=${mode}`)
      check.refused(answer, [400], ['unsupported_stream_mode'], `streamMode=${mode}`)
      const details = isObject(answer.body.details) ? answer.body.details : {}
      check.ok(Array.isArray(details.supported), `details.supported of streamMode=${mode} is an array`)
    }
  }),

  scenario(
    'stream-modes-mixed.messages',
    mixedFacts,
    'updates,messages is served and ends with the run',
    async (check) => {
      const stream = await streamDelay(check, 'updates,messages')
      closedWell(check, stream, 'updates,messages')
      check.ok(names(stream).includes('run.completed'), 'the event names hold run.completed')
    },
  ),

  scenario(
    'stream-modes-mixed.superset',
    mixedFacts,
    'updates,debug holds every type of updates, in order',
    async (check) => {
      const mixed = await streamDelay(check, 'updates,debug')
      const updates = await streamDelay(check, 'updates')
      closedWell(check, mixed, 'updates,debug')
      for (const name of names(updates)) check.ok(names(mixed).includes(name), `updates,debug has ${name}`)
      const ids = mixed.frames.map(({ id }) => Number(id))
      check.equal(
        ids,
        [...new Set(ids)].sort((a, b) => a - b),
        'the ids of the frames',
      )
    },
  ),

  scenario(
    'stream-modes.json',
    'core 9.4',
    'Accept: application/json on /events gives the events as JSON',
    async (check) => {
      check.needsFixture('conformance-noop')
      const runId = await check.createRun({ workflowId: 'conformance-noop' })
      await check.waitFor(runId)
      const answer = await check.http('GET', `/v1/runs/${runId}/events`)
      if (!answer.headers.get('content-type')?.startsWith('application/json'))
        check.inapplicable('the host serves /events as a stream only, which it may')
      check.equal(answer.status, 200, 'GET /events as JSON')
      check.ok(Array.isArray(answer.body.events) && answer.body.events.length > 0, 'events is a filled array')
    },
  ),
]

// Version 2: the event log by polling and as a stream.
import { asArray, at, type RunEventDoc } from '../../harness.ts'
import { terminalEvents } from '../../support.ts'
import { isEnded, scenarioV2, segmentOf } from '../../v2.ts'
import { registeredCodes } from '../../v2-codes.ts'

const facts = 'v2 6, 14'
const noop = { workflowId: 'conformance-noop' }

/** Types that a host without vendor extensions can have: families of the closed list. */
const types =
  /^(run|node|interrupt|approval|clarification|artifact|channel|variable|state|log|cap|replay|memory|agent|eval|deployment|workspace|output|ai|conversation|provider|budget|compensation|subworkflow|envelope|model|prompt|connector|mcp|tool|trigger|heartbeat|core)\.[a-z][a-z.-]*$/

export const scenarios = [
  scenarioV2(
    'v2-event-type-closed',
    facts,
    'Every event has the closed form and a registered type',
    async (check, v2) => {
      const events = await v2.events(await v2.completedRun({ workflowId: 'conformance-multi-node' }))
      check.ok(events.length > 0, 'there are events')
      const members = ['eventId', 'runId', 'type', 'payload', 'timestamp', 'sequence', 'schemaVersion']
      const optional = ['nodeId', 'engineVersion', 'causationId']
      let before = -1
      for (const event of events) {
        for (const name of members) check.ok(name in event, `${name} of event ${event.sequence}`)
        const unknown = Object.keys(event).filter((name) => ![...members, ...optional].includes(name))
        check.equal(unknown, [], `unknown members of event ${event.sequence}`)
        check.matches(event.type, types, `the type of event ${event.sequence}`)
        check.equal(event.sequence, before + 1, 'the sequence')
        before = event.sequence
      }
    },
  ),

  scenarioV2('v2-terminal-event-once', facts, 'A log has one terminal event, and it is the last', async (check, v2) => {
    const runId = await v2.completedRun(noop)
    const events = asArray((await v2.poll(runId)).events) as RunEventDoc[]
    const ends = events.filter(({ type }) => terminalEvents.includes(type))
    check.equal(ends.length, 1, 'terminal events')
    check.equal(events.at(-1)?.type, ends[0]?.type, 'the last event')
  }),

  scenarioV2('v2-event-error-codes', 'v2 12, 14', 'Errors in a log have registered codes', async (check, v2) => {
    const runId = await v2.createRun({ workflowId: 'conformance-failure' })
    await v2.waitFor(runId, isEnded)
    const failures = (await v2.events(runId)).filter(({ type }) => type === 'node.failed' || type === 'run.failed')
    check.ok(failures.length > 0, 'the run has failed')
    for (const { type, payload } of failures)
      check.ok(registeredCodes.has(String(at(payload, 'error', 'code'))), `the code of ${type} is registered`)
  }),

  scenarioV2('v2-poll-cursor-v2', facts, 'A poll has five members, and its cursor is exclusive', async (check, v2) => {
    const runId = await v2.completedRun(noop)
    const all = await v2.poll(runId)
    check.equal(Object.keys(all).sort(), ['events', 'isTerminal', 'lastSequence', 'runId', 'status'], 'its members')
    const events = asArray(all.events) as RunEventDoc[]
    check.equal(events[0]?.sequence, 0, 'the first sequence')
    check.equal(all.lastSequence, events.at(-1)?.sequence, 'lastSequence')
    check.equal([all.status, all.isTerminal], ['completed', true], 'the end')
    const rest = asArray((await v2.poll(runId, { afterSequence: '0' })).events) as RunEventDoc[]
    check.equal(
      rest.map(({ sequence }) => sequence),
      events.slice(1).map(({ sequence }) => sequence),
      'after 0',
    )
    const past = await v2.poll(runId, { afterSequence: '99999' })
    check.equal(past.events, [], 'past the end')
    const old = await v2.http('GET', `/runs/${segmentOf(runId)}/events/poll?lastSequence=0`)
    v2.refused(old, 400, 'validation_error', 'the cursor of version 1')
    check.matches(old.body.message, /lastSequence.*afterSequence/, 'the message says what version 2 calls it')
  }),

  scenarioV2(
    'v2-sse-last-event-id',
    facts,
    'A stream ends by itself and is resumed after any event',
    async (check, v2) => {
      const runId = await v2.completedRun(noop)
      const path = `/runs/${segmentOf(runId)}/events?streamMode=debug`
      const whole = await v2.sse(path)
      check.equal([whole.status, whole.closedBy], [200, 'server'], 'a stream of a terminal run')
      check.matches(whole.headers.get('openwop-version'), /^2\./, 'the version of a stream')
      const ids = whole.frames.map(({ id }) => id)
      check.ok(ids.length > 1, 'there are frames')
      check.equal(
        ids,
        whole.frames.map(({ data }) => String((data as RunEventDoc).sequence)),
        'ids are sequences',
      )
      const from = async (id: string) =>
        (await v2.sse(path, { headers: { 'Last-Event-ID': id } })).frames.map((frame) => frame.id)
      check.equal(await from(String(ids[0])), ids.slice(1), 'resumed after the first')
      check.equal(await from(String(ids.at(-1))), [], 'resumed after the last')
      const values = await v2.sse(`/runs/${segmentOf(runId)}/events?streamMode=values`)
      check.equal(values.frames[0]?.event, 'state.snapshot', 'values begin with a snapshot')
      const bad = await v2.http('GET', `/runs/${segmentOf(runId)}/events?streamMode=everything`)
      v2.refused(bad, 400, 'unsupported_stream_mode', 'an unknown mode')
    },
  ),

  scenarioV2('v2-sse-last-event-id-cursor', facts, 'A cursor past the log is an empty stream', async (check, v2) => {
    const runId = await v2.completedRun(noop)
    const path = `/runs/${segmentOf(runId)}/events?streamMode=debug`
    const past = await v2.sse(path, { headers: { 'Last-Event-ID': '1000' } })
    check.equal([past.status, past.frames.length, past.closedBy], [200, 0, 'server'], 'past the end')
    const word = await v2.sse(path, { headers: { 'Last-Event-ID': 'abc' } })
    check.oneOf(word.status, [200, 400], 'a cursor that is no number')
    const unknown = `/runs/${segmentOf(`${runId.split('/')[0]}/${'x'.repeat(22)}`)}/events`
    const [plain, withId] = [await v2.sse(unknown), await v2.sse(unknown, { headers: { 'Last-Event-ID': 'abc' } })]
    check.equal(withId.status, plain.status, 'an unknown run answers alike')
  }),
]

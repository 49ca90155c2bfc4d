import { z } from 'zod'
import { asReader, count, instant, list, position } from '../../schema-parts.ts'

/** The `data` of the events in the stream of changes. */

export const ChangeEvent = z
  .strictObject({
    position,
    at: instant,
    kind: z.string().describe('What happened, such as `memory.written`, `memory.deleted` or `compacted`'),
    memoryRef: z.string(),
    entryIds: list(z.string()),
    reason: z.string().optional().describe('Why entries ended'),
  })
  .meta({
    id: 'ChangeEvent',
    description: 'The event `change`: one change of the tenant’s memory, in identifiers.',
    examples: [
      {
        position: 42,
        at: '2026-03-01T12:00:00.000Z',
        kind: 'memory.written',
        memoryRef: 'agents/ada',
        entryIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'],
      },
    ],
  })

const state = z.record(z.string(), z.union([z.number(), z.boolean()])).describe('What was observed, in numbers')

export const HeartbeatEvent = z
  .strictObject({
    position,
    at: instant,
    kind: z.enum(['heartbeat.evaluated', 'heartbeat.stateChanged']),
    payload: z.union([
      z.strictObject({ heartbeatId: z.string(), status: z.enum(['ok', 'timeout', 'error']), changed: z.boolean() }),
      z.strictObject({ heartbeatId: z.string(), from: state, to: state }),
    ]),
  })
  .meta({
    id: 'HeartbeatEvent',
    description: 'The event `heartbeat`: a tick was evaluated, or changed the state of its heartbeat.',
    examples: [
      {
        position: 43,
        at: '2026-03-01T12:01:00.000Z',
        kind: 'heartbeat.stateChanged',
        payload: { heartbeatId: 'hbt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', from: { count: 2 }, to: { count: 3 } },
      },
    ],
  })

export const ChangeGap = z
  .strictObject({
    from: position,
    to: position,
    reason: z
      .enum(['history_expired', 'position_not_reached', 'forgotten'])
      .describe(
        '`position_not_reached`: the database is behind this position, as after restoring a backup; `forgotten`: memories were erased by a forget, which names none of them',
      ),
  })
  .meta({
    id: 'ChangeGap',
    description:
      'The event `gap`: changes between two positions are not available. If you keep a copy of the memory, read it again.',
    examples: [{ from: 12, to: 40, reason: 'history_expired' }],
  })

export const ChangeCloudEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: z.string().describe('Unique together with `source`'),
    source: z.string().describe('The URN of the tenant'),
    type: z.string().describe('Such as `colophon.memory.written`, or `colophon.memory.gap`'),
    subject: z.string().optional().describe('The memoryRef, or the id of the heartbeat'),
    time: instant.optional(),
    datacontenttype: z.literal('application/json'),
    data: z.union([ChangeEvent, HeartbeatEvent, ChangeGap]),
  })
  .meta({
    id: 'ChangeCloudEvent',
    description: 'A change, or a gap, as an event of CloudEvents 1.0.',
    examples: [
      {
        specversion: '1.0',
        id: '42.0',
        source: 'urn:colophon:tenant:acme',
        type: 'colophon.memory.written',
        subject: 'agents/ada',
        time: '2026-03-01T12:00:00.000Z',
        datacontenttype: 'application/json',
        data: {
          position: 42,
          at: '2026-03-01T12:00:00.000Z',
          kind: 'memory.written',
          memoryRef: 'agents/ada',
          entryIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'],
        },
      },
    ],
  })

export const ChangeStream = z.union([ChangeEvent, HeartbeatEvent, ChangeGap, ChangeCloudEvent]).meta({
  id: 'ChangeStream',
  description:
    'Server-sent events `change`, `heartbeat` and `gap`. The id of an event is its position: send it as Last-Event-ID.',
})

export const ChangesQuery = z.strictObject({
  format: z
    .enum(['plain', 'cloudevents'])
    .optional()
    .describe('`cloudevents`: the data of each event is an event of CloudEvents 1.0, with the change as its data'),
  after: count.optional().describe('Starts after this position; by default, only new changes are sent'),
  reader: asReader,
})

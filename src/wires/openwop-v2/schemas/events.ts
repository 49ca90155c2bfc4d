import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { instant, list } from '../../schema-parts.ts'
import { boundRunId, event, otherBoundRunId } from './examples.ts'

const EventDocument = z
  .strictObject({
    eventId: z.string(),
    runId: z.string(),
    sequence: z.int().min(0).describe('Counts the events of the run from 0, without gaps'),
    type: z.string().describe('Such as run.started, node.completed or memory.written'),
    nodeId: z.string().optional(),
    payload: z.record(z.string(), z.unknown()).describe('Depends on the type; secrets are redacted'),
    timestamp: instant,
    schemaVersion: z.int(),
    engineVersion: z.int(),
    causationId: z.string().optional(),
  })
  .meta({ id: 'RunEventV2', description: 'One event in the log of a run.', examples: [event] })

export const EventStream = z.string().meta({
  description:
    'Server-sent events. `event` is the type of the run event, `id` its sequence, `data` a RunEvent; with `bufferMs` the event `batch` has an array of them. With `streamMode=values` each event is `state.snapshot` and `data` is a RunSnapshot.',
  examples: [`id: 3\nevent: node.completed\ndata: ${JSON.stringify(event)}\n\n`],
})

export const EventPoll = z
  .strictObject({
    runId: z.string(),
    events: list(EventDocument),
    lastSequence: z.int().describe('The highest sequence of the log; -1 when it is empty'),
    status: z.enum([...runStatuses, 'cancelling']),
    isTerminal: z.boolean().describe('The run has ended'),
  })
  .meta({
    id: 'RunEventPollV2',
    description: 'The events after a sequence.',
    examples: [{ runId: boundRunId, events: [event], lastSequence: 3, status: 'running', isTerminal: false }],
  })

/** Digits only: a number such as 1e3 is probably a mistake. */
function whole(min: number, max: number) {
  const toNumber = (text: unknown) => (/^\d{1,15}$/.test(String(text)) ? Number(text) : text)
  return z.preprocess(toNumber, z.int().min(min).max(max)).optional()
}

export const EventsQuery = z.strictObject({
  streamMode: z
    .string()
    .optional()
    .describe('`updates` (the default), `messages`, `debug`, or several separated by commas; or `values` alone'),
  bufferMs: whole(0, limits.eventBufferMsMax).describe('Collects events for this time and sends them in one batch'),
})

export const PollQuery = z.strictObject({
  afterSequence: whole(0, Number.MAX_SAFE_INTEGER).describe('The last sequence that the client has; absent for none'),
  timeout: whole(1, limits.eventPollSecondsMax).describe('The seconds to wait if there is no event yet'),
})

export const DiffQuery = z.strictObject({ against: z.string().describe('The run to compare with') })

export const RunDiff = z
  .strictObject({
    a: z.string(),
    b: z.string(),
    divergedAtSeq: z.int().nullable().describe('The first sequence that differs; null when the logs are identical'),
    eventDiffs: list(
      z.strictObject({
        seq: z.int(),
        op: z.enum(['added', 'removed', 'changed']),
        aEvent: EventDocument.optional(),
        bEvent: EventDocument.optional(),
      }),
    ),
    stateDiff: z.record(z.string(), z.unknown()),
    truncated: z.literal(true).optional(),
  })
  .meta({
    id: 'RunDiffV2',
    description: 'In which events two runs differ.',
    examples: [{ a: boundRunId, b: otherBoundRunId, divergedAtSeq: null, eventDiffs: [], stateDiff: {} }],
  })

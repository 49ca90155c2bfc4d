import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { instant, list } from '../../schema-parts.ts'
import { event, runId } from './examples.ts'

export const RunEvent = z
  .strictObject({
    eventId: z.string(),
    runId: z.string(),
    sequence: z.int().min(0).describe('Counts the events of the run from 0, without gaps'),
    type: z.string().describe('Such as run.started, node.completed or memory.written'),
    nodeId: z.string().optional(),
    agentId: z.string().optional().describe('The agent whose step it is'),
    causationId: z.string().optional().describe('The id of the event of this run that caused it'),
    payload: z.record(z.string(), z.unknown()).describe('Depends on the type; secrets are redacted'),
    timestamp: instant,
    schemaVersion: z.int(),
    engineVersion: z.string(),
  })
  .meta({ id: 'RunEvent', description: 'One event in the log of a run.', examples: [event] })

export const EventList = z
  .strictObject({ events: list(RunEvent) })
  .meta({ id: 'RunEventList', description: 'The log of a run, oldest first.', examples: [{ events: [event] }] })

export const EventStream = z.string().meta({
  description:
    'Server-sent events. `event` is the type of the run event, `id` its sequence, `data` a RunEvent; with `bufferMs` the event `batch` has an array of them. With `streamMode=values` each event is `state.snapshot` and `data` is a RunSnapshot.',
  examples: [`id: 3\nevent: node.completed\ndata: ${JSON.stringify(event)}\n\n`],
})

export const EventPoll = z
  .strictObject({
    runId: z.string(),
    events: list(RunEvent),
    isComplete: z.boolean().describe('The run has ended and no event follows these'),
    lastEventSeq: z.int().describe('The `lastSequence` of the next poll'),
    runStatus: z.enum(runStatuses),
    isTerminal: z.boolean().describe('The run has ended'),
  })
  .meta({
    id: 'RunEventPoll',
    description: 'The events after a sequence, and whether more can follow.',
    examples: [
      {
        runId,
        events: [event],
        isComplete: false,
        lastEventSeq: 3,
        runStatus: 'running',
        isTerminal: false,
      },
    ],
  })

export const EventsQuery = z.looseObject({
  streamMode: z
    .string()
    .optional()
    .describe('`updates` (the default), `messages`, `debug`, or several separated by commas; or `values` alone'),
  bufferMs: whole(0, limits.eventBufferMsMax).describe('Collects events for this time and sends them in one batch'),
})

const sequence = whole(-1, Number.MAX_SAFE_INTEGER)

export const PollQuery = z.looseObject({
  lastSequence: sequence.describe('The last sequence that the client has; -1 for none'),
  since: sequence.describe('Another name of `lastSequence`'),
  timeout: whole(0, limits.eventPollSecondsMax).describe('The seconds to wait if there is no event yet'),
})

/** Digits only: a number such as 1e3 is probably a mistake. */
function whole(min: number, max: number) {
  const toNumber = (text: unknown) => (/^-?\d{1,15}$/.test(String(text)) ? Number(text) : text)
  return z.preprocess(toNumber, z.int().min(min).max(max)).optional()
}

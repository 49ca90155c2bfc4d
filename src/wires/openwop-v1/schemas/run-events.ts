import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'
import { instant, list } from '../../schema-parts.ts'

const status = z.enum(runStatuses)

export const RunEvent = z
  .looseObject({
    eventId: z.string(),
    runId: z.string(),
    sequence: z.int(),
    type: z.string(),
    payload: z.unknown(),
    timestamp: instant,
  })
  .meta({ id: 'RunEvent' })

export const EventList = z.strictObject({ events: list(RunEvent) }).meta({ id: 'RunEventList' })

export const EventPoll = z
  .strictObject({
    runId: z.string(),
    events: list(RunEvent),
    isComplete: z.boolean(),
    lastEventSeq: z.int(),
    runStatus: status,
    isTerminal: z.boolean(),
  })
  .meta({ id: 'RunEventPoll' })

export const EventsQuery = z.looseObject({ streamMode: z.string().optional(), bufferMs: z.string().optional() })

export const PollQuery = z.looseObject({
  lastSequence: z.string().optional(),
  since: z.string().optional(),
  timeout: z.string().optional(),
})

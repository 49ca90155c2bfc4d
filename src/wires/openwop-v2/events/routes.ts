import type { FastifyRequest } from 'fastify'
import { getRunStatus } from '../../../app/runs/control.ts'
import { pollLog } from '../../../app/runs/event-log.ts'
import { limits } from '../../../core/limits.ts'
import { isEnded, type RunEvent } from '../../../core/run/run.ts'
import { route } from '../../../http/route.ts'
import { streamRun } from '../../openwop-v1/run-stream.ts'
import { parseStreamModes } from '../../openwop-v1/stream-modes.ts'
import { openLogStream, pollFor } from '../../run-log.ts'
import { invalidField } from '../errors.ts'
import { bindId, openPathId } from '../ids.ts'
import { toSnapshot } from '../runs/snapshot.ts'
import { EventPoll, EventStream, EventsQuery, PollQuery } from '../schemas/events.ts'
import { toEventDocument } from './event-document.ts'
import { isUpdate } from './stream-modes.ts'

/** The log of a run: as a stream, or by polling. */
export const runEventRoutes = [
  route('streamRunEvents', 'GET /runs/{runId}/events', 'runs:read', {
    summary: 'Stream the events of a run',
    description:
      'Server-sent events: the log so far, then each new event, until the run ends. `Last-Event-ID` resumes after a sequence.',
    tag: 'runs',
    isLongLived: true,
    query: EventsQuery,
    responses: { 200: { content: { 'text/event-stream': { schema: EventStream } } } },
    async handler({ tenant, params, query, parts, request, reply }) {
      const modes = parseStreamModes(query.streamMode)
      const runId = openPathId('runId', tenant.id, params.runId)
      await getRunStatus(tenant, runId)
      // After the run: a run that the caller cannot see is answered alike, whatever the header says.
      const after = lastEventId(request) ?? -1
      const { stream, recheck } = openLogStream(parts, request, reply)
      const form = {
        toEvent: (event: RunEvent) => toEventDocument(tenant.id, runId, event),
        toRun: toSnapshot,
        isUpdate,
      }
      const options = { runId, after, modes, bufferMs: query.bufferMs ?? 0, withTokens: false, recheck, form }
      await streamRun(tenant, options, stream).catch(() => stream.end())
      return reply
    },
  }),
  route('pollRunEvents', 'GET /runs/{runId}/events/poll', 'runs:read', {
    summary: 'Poll the events of a run',
    description:
      'The events after a sequence, up to 1,000. Waits until there is one, the run has ended or the timeout has passed.',
    tag: 'runs',
    isLongLived: true,
    query: PollQuery,
    responses: { 200: EventPoll },
    async handler({ tenant, params, query, parts, principal }) {
      const runId = openPathId('runId', tenant.id, params.runId)
      const { afterSequence = -1, timeout = limits.eventPollSecondsDefault } = query
      const { standing, events } = await pollFor(parts, principal, timeout, (signal) =>
        pollLog(tenant, runId, afterSequence, signal),
      )
      return {
        runId: bindId(tenant.id, runId),
        events: events.map((event) => toEventDocument(tenant.id, runId, event)),
        lastSequence: standing.nextSequence - 1,
        status: standing.status,
        isTerminal: isEnded(standing.status),
      }
    },
  }),
]

function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  if (typeof header !== 'string' || header === '') return undefined
  if (/^\d{1,15}$/.test(header)) return Number(header)
  throw invalidField('Last-Event-ID', 'must be the sequence of an event')
}

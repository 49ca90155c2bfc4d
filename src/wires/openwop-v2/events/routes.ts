import type { FastifyRequest } from 'fastify'
import { getRunStatus } from '../../../app/runs/control.ts'
import { pollLog } from '../../../app/runs/event-log.ts'
import { limits } from '../../../core/limits.ts'
import { isEnded } from '../../../core/run/run.ts'
import { route } from '../../../http/route.ts'
import { openEventStream } from '../../../http/sse.ts'
import { streamRun } from '../../openwop-v1/run-stream.ts'
import { parseStreamModes } from '../../openwop-v1/stream-modes.ts'
import { invalidField } from '../errors.ts'
import { bindId, openPathId } from '../ids.ts'
import { toSnapshot } from '../runs/snapshot.ts'
import { EventPoll, EventStream, EventsQuery, PollQuery } from '../schemas/events.ts'
import { toEventDocument } from './event-document.ts'
import { isUpdate } from './stream-modes.ts'

/** How often an open stream checks that its key is still valid. */
const keyRecheckMs = 15_000

/** A reason of its own: without one, an abort makes an exception with a stack for every poll. */
const pollEnded = 'The poll has ended.'

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
      const stream = openEventStream(reply, parts.stopping, parts.streamSlots)
      const recheck = async () => void (await parts.authenticate(request.headers.authorization))
      // A run can wait for days. The stream of a key that was revoked in the meantime is ended.
      const checking = setInterval(() => void recheck().catch(stream.end), keyRecheckMs)
      stream.signal.addEventListener('abort', () => clearInterval(checking))
      const form = {
        toEvent: (event: Parameters<typeof toEventDocument>[2]) => toEventDocument(tenant.id, runId, event),
        toRun: toSnapshot,
        isUpdate,
      }
      const options = { runId, after, modes, bufferMs: query.bufferMs ?? 0, withTokens: false, recheck, form }
      await streamRun(tenant, options, stream).catch(stream.end)
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
      const slot = parts.streamSlots.take(principal)
      const timeUp = new AbortController()
      const timer = setTimeout(() => timeUp.abort(pollEnded), timeout * 1_000)
      const signal = AbortSignal.any([parts.stopping, timeUp.signal])
      const { standing, events } = await pollLog(tenant, runId, afterSequence, signal).finally(() => {
        slot.release()
        clearTimeout(timer)
        // Ends the wait for new events, also if the poll failed.
        timeUp.abort(pollEnded)
      })
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

import type { FastifyRequest } from 'fastify'
import { getRun, getRunStatus } from '../../../app/runs/control.ts'
import { describeRun } from '../../../app/runs/describe-run.ts'
import { pollLog } from '../../../app/runs/event-log.ts'
import { allEvents } from '../../../app/runs/recorded-run.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { isEnded, type RunEvent } from '../../../core/run/run.ts'
import { route, sendBody } from '../../../http/route.ts'
import { openLogStream, pollFor } from '../../run-log.ts'
import { streamRun } from '../run-stream.ts'
import { EventList, EventPoll, EventStream, EventsQuery, PollQuery } from '../schemas/run-events.ts'
import { isShown, isUpdate, parseStreamModes } from '../stream-modes.ts'
import { type RunEventView, toEventView } from '../views/run-events.ts'
import { toRunView } from '../views/runs.ts'

/** The log of a run: as a stream, as JSON, or by polling. */
export const runEventRoutes = [
  route('streamRunEvents', 'GET /v1/runs/{runId}/events', 'runs:read', {
    summary: 'Stream the events of a run',
    description:
      'Server-sent events: the log so far, then each new event, until the run ends. `Last-Event-ID` resumes after a sequence. With `Accept: application/json` the response is the log so far as JSON; with `streamMode=values` one event `state.snapshot`, whose payload is the run now.',
    tag: 'runs',
    isLongLived: true,
    query: EventsQuery,
    responses: {
      200: { content: { 'text/event-stream': { schema: EventStream }, 'application/json': { schema: EventList } } },
    },
    async handler({ tenant, params: { runId }, query, principal, parts, request, reply }) {
      const modes = parseStreamModes(query.streamMode)
      const after = lastEventId(request) ?? -1
      await getRunStatus(tenant, runId)
      const withTokens = principal.scopes.includes('approvals:respond')
      if (wantsJson(request)) {
        if (modes[0] === 'values') return sendBody(reply, { events: [await valuesOf(tenant, runId, withTokens)] })
        const events = await allEvents(tenant, runId, after + 1)
        const views = events.filter(({ type }) => isShown(type, modes)).map((event) => toEventView(runId, event))
        return sendBody(reply, { events: views })
      }
      const { stream, recheck } = openLogStream(parts, request, reply)
      const form = { toEvent: (event: RunEvent) => toEventView(runId, event), toRun: toRunView, isUpdate }
      const options = { runId, after, modes, bufferMs: query.bufferMs ?? 0, withTokens, recheck, form }
      await streamRun(tenant, options, stream).catch(() => stream.end())
      return reply
    },
  }),
  route('pollRunEvents', 'GET /v1/runs/{runId}/events/poll', 'runs:read', {
    summary: 'Poll the events of a run',
    description:
      'The events after a sequence, up to 1,000. Waits until there is one, the run has ended or the timeout has passed.',
    tag: 'runs',
    isLongLived: true,
    query: PollQuery,
    responses: { 200: EventPoll },
    async handler({ tenant, params: { runId }, query, parts, principal }) {
      const { lastSequence, since, timeout = limits.eventPollSecondsDefault } = query
      const after = lastSequence ?? since ?? -1
      const { standing, events } = await pollFor(parts, principal, timeout, (signal) =>
        pollLog(tenant, runId, after, signal),
      )
      const lastEventSeq = events.at(-1)?.sequence ?? after
      const isTerminal = isEnded(standing.status)
      return {
        runId,
        events: events.map((event) => toEventView(runId, event)),
        isComplete: isTerminal && lastEventSeq >= standing.nextSequence - 1,
        lastEventSeq,
        runStatus: standing.status,
        isTerminal,
      }
    },
  }),
]

/** The run now, as the stream of values sends it: its event has the sequence of the log that it shows. */
async function valuesOf(tenant: Tenant, runId: string, withTokens: boolean): Promise<RunEventView> {
  const run = await getRun(tenant, runId)
  const [type, sequence] = ['state.snapshot', run.nextSequence - 1]
  const payload = toRunView(await describeRun(tenant, run, { withTokens }))
  const view = toEventView(runId, { type, sequence, nodeId: null, payload, at: run.updatedAt })
  // Not that of the event in the log, which has this sequence too.
  return { ...view, eventId: `${view.eventId}_values` }
}

function wantsJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  if (typeof header !== 'string' || header === '') return undefined
  if (/^(-1|\d{1,15})$/.test(header)) return Number(header)
  throw invalid('Last-Event-ID', 'must be a sequence, or -1 for none', { min: -1, max: Number.MAX_SAFE_INTEGER })
}

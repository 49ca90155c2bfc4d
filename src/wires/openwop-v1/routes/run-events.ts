import type { FastifyRequest } from 'fastify'
import { getStanding } from '../../../app/runs/control.ts'
import { allEvents } from '../../../app/runs/recorded.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { toEventDoc } from '../../../core/run/event-doc.ts'
import { isEnded, runKeyOf } from '../../../core/run/run.ts'
import { isTold, parseStreamModes } from '../../../core/run/stream-modes.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { streamRun } from '../../../http/run-stream.ts'
import { openEventStream } from '../../../http/sse.ts'
import { RunParams } from '../../params.ts'
import { EventList, EventPoll, EventsQuery, PollQuery } from '../schemas/run-events.ts'

/** How often an open stream looks whether its key still opens anything. */
const keyRecheckMs = 15_000

/** The log of a run: as a stream, as JSON, or by asking again and again. */
export function runEventRoutes(app: App, { engine, stopping, authenticate }: RouteParts): void {
  app.get(
    '/v1/runs/:runId/events',
    {
      exposeHeadRoute: false,
      config: { access: 'runs:read', waits: true },
      schema: {
        tags: ['runs'],
        params: RunParams,
        querystring: EventsQuery,
        response: { 200: EventList },
      },
    },
    async (request, reply) => {
      const modes = parseStreamModes(request.query.streamMode)
      const bufferMs = readWhole('bufferMs', request.query.bufferMs, 0, limits.eventBufferMsMax) ?? 0
      const after = readWhole('Last-Event-ID', lastEventId(request), -1, Number.MAX_SAFE_INTEGER) ?? -1
      const { tenantId, scopes } = principalOf(request)
      const { runId } = request.params
      await getStanding(engine.tenant(tenantId), runId)
      if (wantsJson(request)) {
        const events = await allEvents(engine.tenant(tenantId), runId, after + 1)
        const shown = modes[0] === 'values' ? ['updates' as const] : modes
        return { events: events.filter(({ type }) => isTold(type, shown)).map((event) => toEventDoc(runId, event)) }
      }
      const stream = openEventStream(reply, stopping)
      const withTokens = scopes.includes('approvals:respond')
      const recheck = async () => void (await authenticate(request.headers.authorization))
      // A run may wait for days: a key that was revoked meanwhile does not keep its stream open.
      const looking = setInterval(() => void recheck().catch(stream.end), keyRecheckMs)
      stream.signal.addEventListener('abort', () => clearInterval(looking))
      const options = { tenantId, runId, after, modes, bufferMs, withTokens, recheck }
      await streamRun(engine, options, stream).catch(stream.end)
      return reply
    },
  )

  app.get(
    '/v1/runs/:runId/events/poll',
    {
      config: { access: 'runs:read', waits: true },
      schema: {
        tags: ['runs'],
        params: RunParams,
        querystring: PollQuery,
        response: { 200: EventPoll },
      },
    },
    async (request) => {
      const { query } = request
      const after = readWhole('lastSequence', query.lastSequence ?? query.since, -1, Number.MAX_SAFE_INTEGER) ?? -1
      const seconds =
        readWhole('timeout', query.timeout, 0, limits.eventPollSecondsMax) ?? limits.eventPollSecondsDefault
      const { tenantId } = principalOf(request)
      const { runId } = request.params
      const run = await waitForEvents(tenantId, runId, after, seconds)
      const events = await engine.storage.runs.events({ tenantId, runId, from: after + 1, limit: limits.eventPageMax })
      const lastEventSeq = events.at(-1)?.sequence ?? after
      const isTerminal = isEnded(run.status)
      return {
        runId,
        events: events.map((event) => toEventDoc(runId, event)),
        isComplete: isTerminal && lastEventSeq >= run.nextSequence - 1,
        lastEventSeq,
        runStatus: run.status,
        isTerminal,
      }
    },
  )

  /** At once when there is something behind the cursor or nothing will ever come; otherwise when that changes. */
  async function waitForEvents(tenantId: string, runId: string, after: number, seconds: number) {
    const first = await getStanding(engine.tenant(tenantId), runId)
    if (isEnded(first.status) || first.nextSequence > after + 1) return first
    const timeUp = new AbortController()
    const timer = setTimeout(() => timeUp.abort(), seconds * 1_000)
    const signal = AbortSignal.any([stopping, timeUp.signal])
    try {
      for (let run = first; ; ) {
        // Waits first and looks then: what happens in between wakes it. A cursor beyond the end is woken by the end too.
        const seen = Math.min(after + 1, run.nextSequence)
        const woken = engine.runWatch.wait(runKeyOf(tenantId, runId), seen, signal)
        run = await getStanding(engine.tenant(tenantId), runId)
        if (isEnded(run.status) || run.nextSequence > after + 1 || signal.aborted) return run
        await woken
      }
    } finally {
      clearTimeout(timer)
      timeUp.abort()
    }
  }
}

function wantsJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? ''
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

function lastEventId(request: FastifyRequest): string | undefined {
  const header = request.headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : undefined
}

function readWhole(field: string, value: string | undefined, min: number, max: number): number | undefined {
  if (value === undefined) return undefined
  const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  throw invalid(field, `must be a whole number from ${min} to ${max}`, { min, max })
}

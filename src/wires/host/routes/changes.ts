import { resumeChanges } from '../../../app/changes/change-stream.ts'
import { checkCount } from '../../../core/check.ts'
import { type ChangeSubscriber, formatGap } from '../../../http/change-hub.ts'
import { route } from '../../../http/route.ts'
import { sessionOf } from '../../../http/session-cookie.ts'
import { type EventStream, openEventStream } from '../../../http/sse.ts'
import { ChangeStream, ChangesQuery } from '../schemas/changes.ts'

const timerMsMax = 2_147_483_647

/** The tenant's memory changes as they happen; the event id is the position, so a client resumes exactly where it was. */
export const changeRoutes = [
  route('streamChanges', 'GET /v1/host/colophon/changes', 'memory:read', {
    summary: 'Stream changes',
    description:
      'Server-sent events: one `change` per change of memory, in order, each exactly once, and a `heartbeat` for each event of a heartbeat. A client that reconnects with `Last-Event-ID` resumes there. A `gap` reports changes that are no longer available. With `format=cloudevents`, the data of each event is an event of CloudEvents 1.0.',
    tag: 'memory',
    isLongLived: true,
    query: ChangesQuery,
    responses: { 200: { content: { 'text/event-stream': { schema: ChangeStream } } } },
    async handler({ parts, tenant, principal: { endsAt }, query, request, reply }) {
      const wanted = readLastEventId(request.headers['last-event-id']) ?? query.after
      const { from, gaps } = await resumeChanges(tenant, wanted)
      // Kept as long as the stream is open, so it names neither the request nor the tenant.
      const { authorization } = request.headers
      const session = sessionOf(request)
      const recheck = async () => void (await parts.authenticate(authorization, session))
      const opened = openEventStream(reply, parts.stopping, parts.streamSlots, recheck)
      const stream = endsAt === null ? opened : endWithKey(opened, endsAt, () => tenant.expiryNow())
      const { format = 'plain' } = query
      for (const gap of gaps) stream.send(formatGap(tenant.id, gap, format))
      // An id without data makes no event. A client whose connection breaks before its first change resumes there.
      if (gaps.length === 0) stream.send(`id: ${from}\n\n`)
      const subscriber = { stream, format, reader: tenant.reader }
      await parts.changeHubs.subscribe(tenant.id, from, subscriber).catch(() => stream.end())
      return reply
    },
  }),
]

/** Ends a stream when its key expires, and sends nothing after that. */
function endWithKey(stream: EventStream, endsAt: number, now: () => number): ChangeSubscriber['stream'] {
  // A timer takes at most 24 days; after that, the periodic checks find it. A timer can also fire a millisecond early, while the key is
  // still valid.
  const left = Math.min(endsAt - now() + 1, timerMsMax)
  const ending = setTimeout(() => void stream.recheck().catch(() => stream.end()), Math.max(left, 0))
  stream.onEnd(() => clearTimeout(ending))
  return {
    get isEnded() {
      return stream.isEnded
    },
    send: (frame) => (now() >= endsAt ? stream.end() : stream.send(frame)),
    drained: () => stream.drained(),
    recheck: () => stream.recheck(),
    end: () => stream.end(),
    onEnd: (callback) => stream.onEnd(callback),
  }
}

function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined
  const position = Number(header)
  checkCount('Last-Event-ID', position, 0)
  return position
}

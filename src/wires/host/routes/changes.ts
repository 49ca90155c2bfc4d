import { checkCount } from '../../../core/check.ts'
import { ChangeHubs } from '../../../http/change-hub.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { formatEvent, openEventStream } from '../../../http/sse.ts'
import { ChangesQuery, EventStreamText } from '../schemas/memory.ts'

/** How often an open stream looks whether its key still opens anything. */
const keyRecheckMs = 15_000
const timerMsMax = 2_147_483_647

/** The tenant's memory changes as they happen; the event id is the position, so a client resumes exactly where it was. */
export function changeRoutes(app: App, { engine, stopping, authenticate }: RouteParts): void {
  const hubs = new ChangeHubs(engine)
  app.get(
    '/v1/host/colophon/changes',
    // No HEAD: a stream has no end that a head could come from.
    {
      exposeHeadRoute: false,
      config: { access: 'memory:read', waits: true },
      schema: {
        tags: ['memory'],
        querystring: ChangesQuery,
        response: { 200: { content: { 'text/event-stream': { schema: EventStreamText } } } },
      },
    },
    async (request, reply) => {
      const { tenantId, endsAt } = principalOf(request)
      const resumed = readLastEventId(request.headers['last-event-id'])
      const { position: reached, historyFrom } = (await engine.storage.clock(tenantId)) ?? {
        position: 0,
        historyFrom: 0,
      }
      const after = resumed ?? request.query.after ?? reached
      const stream = openEventStream(reply, stopping)
      // The client has seen positions that this database does not have, as after restoring a backup.
      if (after > reached) {
        const data = { from: after, to: reached, reason: 'position_not_reached' }
        stream.send(formatEvent({ event: 'gap', data, id: String(reached) }))
      } else {
        // An id alone tells nothing and is the place to resume at, for a client that is cut off before its first change.
        stream.send(`id: ${after}\n\n`)
      }
      // What happened before is no longer kept: the client has to look at memory as it is.
      if (after < historyFrom) {
        const data = { from: after, to: historyFrom, reason: 'history_expired' }
        stream.send(formatEvent({ event: 'gap', data, id: String(historyFrom) }))
      }
      const from = Math.max(Math.min(after, reached), historyFrom)
      const { send, end, signal, drained } = stream
      const recheck = async () => void (await authenticate(request.headers.authorization))
      // Revocations by other processes, and expiry, are noticed in a little while.
      const looking = setInterval(() => void recheck().catch(end), keyRecheckMs)
      // To the moment, when that is known; a timer takes no more than 24 days, and the looks cover the rest. A timer may
      // also fire a millisecond early, when the key is still valid.
      const left = endsAt === null ? timerMsMax : Math.min(endsAt - engine.system.now() + 1, timerMsMax)
      const ending = setTimeout(() => void recheck().catch(end), Math.max(left, 0))
      const sendWhileValid = (frame: string) => (endsAt !== null && engine.system.now() >= endsAt ? end() : send(frame))
      signal.addEventListener('abort', () => {
        clearInterval(looking)
        clearTimeout(ending)
      })
      await hubs.watch(tenantId, from, { send: sendWhileValid, end, signal, drained, recheck }).catch(end)
    },
  )
}

function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined
  const position = Number(header)
  checkCount('Last-Event-ID', position, 0)
  return position
}

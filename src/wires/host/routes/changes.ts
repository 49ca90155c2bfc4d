import { resumeChanges } from '../../../app/changes/change-stream.ts'
import { checkCount } from '../../../core/check.ts'
import { route } from '../../../http/route.ts'
import { formatEvent, openEventStream } from '../../../http/sse.ts'
import { ChangeStream, ChangesQuery } from '../schemas/changes.ts'

/** How often an open stream checks whether its key is still valid. */
const keyRecheckMs = 15_000
const timerMsMax = 2_147_483_647

/** The tenant's memory changes as they happen; the event id is the position, so a client resumes exactly where it was. */
export const changeRoutes = [
  route('streamChanges', 'GET /v1/host/colophon/changes', 'memory:read', {
    summary: 'Stream changes',
    description:
      'Server-sent events: one `change` per change of memory, in order, each exactly once. A client that reconnects with `Last-Event-ID` resumes there. A `gap` reports changes that are no longer available.',
    tag: 'memory',
    isLongLived: true,
    query: ChangesQuery,
    responses: { 200: { content: { 'text/event-stream': { schema: ChangeStream } } } },
    async handler({ parts, tenant, principal: { endsAt }, query, request, reply }) {
      const wanted = readLastEventId(request.headers['last-event-id']) ?? query.after
      const { from, gaps } = await resumeChanges(tenant, wanted)
      const { send, end, signal, drained } = openEventStream(reply, parts.stopping, parts.streamSlots)
      for (const gap of gaps) send(formatEvent({ event: 'gap', data: gap, id: String(gap.to) }))
      // An id without data makes no event. A client whose connection breaks before its first change resumes there.
      if (gaps.length === 0) send(`id: ${from}\n\n`)
      const recheck = async () => void (await parts.authenticate(request.headers.authorization))
      // Revocations by other processes, and expiry, are noticed by the next check.
      const checking = setInterval(() => void recheck().catch(end), keyRecheckMs)
      // Ends the stream when the key expires. A timer takes at most 24 days; after that, the periodic checks find it. A
      // timer can also fire a millisecond early, while the key is still valid.
      const left = endsAt === null ? timerMsMax : Math.min(endsAt - tenant.now() + 1, timerMsMax)
      const ending = setTimeout(() => void recheck().catch(end), Math.max(left, 0))
      const sendWhileValid = (frame: string) => (endsAt !== null && tenant.now() >= endsAt ? end() : send(frame))
      signal.addEventListener('abort', () => {
        clearInterval(checking)
        clearTimeout(ending)
      })
      const watcher = { send: sendWhileValid, end, signal, drained, recheck }
      await parts.changeHubs.subscribe(tenant.id, from, watcher).catch(end)
      return reply
    },
  }),
]

function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined
  const position = Number(header)
  checkCount('Last-Event-ID', position, 0)
  return position
}

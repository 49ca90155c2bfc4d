import { checkCount } from '../../core/check.ts'
import * as wire from '../../wire/schemas.ts'
import { ChangeHubs } from '../change-hub.ts'
import { type App, principalOf, type RouteParts } from '../context.ts'
import { formatEvent, openEventStream } from '../sse.ts'

/** The tenant's memory changes as they happen; the event id is the position, so a client resumes exactly where it was. */
export function changeRoutes(app: App, { deps, stopping }: RouteParts): void {
  const hubs = new ChangeHubs(deps)
  app.get(
    '/v1/host/colophon/changes',
    { config: { access: 'memory:read' }, schema: { tags: ['memory'], querystring: wire.ChangesQuery } },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const resumed = readLastEventId(request.headers['last-event-id'])
      const reached = (await deps.storage.clock(tenantId))?.position ?? 0
      const after = resumed ?? request.query.after ?? reached
      const stream = openEventStream(reply, stopping)
      // The client has seen positions that this database does not have, as after restoring a backup.
      if (after > reached) {
        const data = { from: after, to: reached, reason: 'position_not_reached' }
        stream.send(formatEvent({ event: 'gap', data, id: String(reached) }))
      }
      await hubs.watch(tenantId, Math.min(after, reached), stream.send, stream.signal, stream.end).catch(stream.end)
    },
  )
}

function readLastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined
  const position = Number(header)
  checkCount('Last-Event-ID', position, 0)
  return position
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../app/access/authenticate.ts'
import { linkAbort } from '../app/linked-abort.ts'
import type { RouteParts } from '../http/route-context.ts'
import { sessionOf } from '../http/session-cookie.ts'
import { type EventStream, openEventStream } from '../http/sse.ts'

/** How the log of a run is followed, in every version of the protocol. */

/** A reason of its own: without one, an abort makes an exception with a stack for every poll. */
const pollEnded = 'The poll has ended.'

type LogStream = { readonly stream: EventStream; readonly recheck: () => Promise<void> }

/** Opens the stream of a log. A run can wait for days: the stream of a key that was revoked in the meantime is ended. */
export function openLogStream(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): LogStream {
  const recheck = async () => void (await parts.authenticate(request.headers.authorization, sessionOf(request)))
  return { stream: openEventStream(reply, parts.stopping, parts.streamSlots, recheck), recheck }
}

/** Polls for at most that many seconds, or until the server stops. A poll takes the slot of a stream. */
export function pollFor<T>(
  { streamSlots, stopping }: RouteParts,
  principal: Principal,
  seconds: number,
  poll: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const slot = streamSlots.take(principal)
  const { controller, unlink } = linkAbort(stopping)
  const timer = setTimeout(() => controller.abort(pollEnded), seconds * 1_000)
  return poll(controller.signal).finally(() => {
    slot.release()
    clearTimeout(timer)
    unlink()
    // Ends the wait for new events, also if the poll failed.
    controller.abort(pollEnded)
  })
}

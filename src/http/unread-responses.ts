import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { App } from './route-context.ts'

/** Smaller responses fit into the socket buffers of the system. */
const watchedBytesMin = 65_536

/**
 * Limits unread responses, because a response stays in memory until the client has read it. A tenant with too many unread bytes gets no
 * further responses, and a client that reads nothing is disconnected. It can repeat the read, and continue a list by its cursor.
 */
export function limitUnreadResponses(
  app: App,
  bytesMax: number = limits.unreadAnswerBytesPerTenantMax,
  unreadMs: number = limits.unreadAnswerMs,
): void {
  const unread = new Map<string, number>()

  app.addHook('preHandler', (request, _reply, done) => {
    const { principal } = request
    const held = principal === null ? 0 : (unread.get(principal.tenantId) ?? 0)
    if (held <= bytesMax) return done()
    const details = { scope: 'tenant', limit: 'unreadAnswerBytesPerTenantMax', max: bytesMax }
    done(new ColophonError('rate_limited', 'This tenant has too many unread responses.', { details }))
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : null
    if (bytes !== null && bytes < watchedBytesMin) return done(null, payload)
    // A call within the process has no connection and gets its response at once.
    if (!(reply.raw.socket instanceof Socket)) return done(null, payload)
    const { principal } = request
    const count = (change: number) => {
      if (principal === null) return
      const held = (unread.get(principal.tenantId) ?? 0) + change
      if (held <= 0) unread.delete(principal.tenantId)
      else unread.set(principal.tenantId, held)
    }
    count(bytes ?? 0)
    endWhenNotRead(reply, unreadMs, () => count(-(bytes ?? 0)))
    done(null, payload)
  })
}

/** Destroys a connection on which no byte was read for `unreadMs` although there is more to send. Partial reads reset the timer. */
function endWhenNotRead({ raw }: FastifyReply, unreadMs: number, onEnd: () => void): void {
  const onTimeout = () => {
    if (raw.writableLength > 0) raw.destroy()
    else raw.setTimeout(unreadMs)
  }
  raw.setTimeout(unreadMs, onTimeout)
  raw.once('close', onEnd)
}

import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { App } from './context.ts'

/** Smaller ones leave at once, into the buffers of the system. */
const watchedBytesMin = 65_536

/**
 * An answer stays in memory until its client has read it. So a tenant whose answers are not read gets no more of them,
 * and a client that does not read at all loses its connection. Every read can be repeated, and a page has a cursor.
 */
export function boundUnreadAnswers(
  app: App,
  bytesMax: number = limits.unreadAnswerBytesPerTenantMax,
  unreadMs: number = limits.unreadAnswerMs,
): void {
  const unread = new Map<string, number>()

  app.addHook('preHandler', async (request) => {
    const { principal } = request
    const held = principal === null ? 0 : (unread.get(principal.tenantId) ?? 0)
    if (held <= bytesMax) return
    throw new ColophonError('rate_limited', 'Answers to this tenant wait to be read.', {
      details: { scope: 'tenant', limit: 'unreadAnswerBytesPerTenantMax', max: bytesMax },
    })
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : null
    if (bytes !== null && bytes < watchedBytesMin) return payload
    // A call within the process has no connection, and takes its answer at once.
    if (!(reply.raw.socket instanceof Socket)) return payload
    const { principal } = request
    const count = (change: number) => {
      if (principal === null) return
      const held = (unread.get(principal.tenantId) ?? 0) + change
      if (held <= 0) unread.delete(principal.tenantId)
      else unread.set(principal.tenantId, held)
    }
    count(bytes ?? 0)
    endWhenNotRead(reply, unreadMs, () => count(-(bytes ?? 0)))
    return payload
  })
}

/** Ends a connection on which nothing has left for a while, though there is more to send. The socket sees parts leave too. */
function endWhenNotRead({ raw }: FastifyReply, unreadMs: number, onEnd: () => void): void {
  const onTimeout = () => {
    if (raw.writableLength > 0) raw.destroy()
    else raw.setTimeout(unreadMs)
  }
  raw.setTimeout(unreadMs, onTimeout)
  raw.once('close', onEnd)
}

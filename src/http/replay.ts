import type { FastifyReply, FastifyRequest } from 'fastify'

/** Tells a client that sent an idempotency key whether this is the first answer or a repeat of it. */
export function markReplay(request: FastifyRequest, reply: FastifyReply, repeated: boolean): void {
  if (request.headers['idempotency-key'] === undefined) return
  reply.header('idempotent-replay', String(repeated))
  reply.header('openwop-idempotent-replay', String(repeated))
}

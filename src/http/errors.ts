import type { FastifyReply, FastifyRequest } from 'fastify'
import { isColophonError } from '../core/errors.ts'
import { toFailure } from './failure.ts'
import type { Wire } from './wire.ts'

export type SendError = (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply

/** Answers a failure in the form of the wire that owns the path; the last wire owns what no other does. */
export function createErrorSender(wires: readonly Wire[]): SendError {
  return (request, reply, error) => {
    const failure = toFailure(error)
    if (failure.status >= 500) {
      // The cause may quote a statement's values; its class and code say enough to find the place.
      const cause = error as { name?: unknown; code?: unknown; stack?: unknown } | null
      request.log.error(
        { code: failure.code, error: cause?.name, errorCode: cause?.code, stack: stackOf(error) },
        'request failed',
      )
    }
    const mayComeAgain = failure.status === 503 || failure.status === 429
    if (mayComeAgain && !reply.hasHeader('retry-after')) reply.header('retry-after', failure.status === 503 ? '1' : '5')
    if (failure.status === 401) reply.header('www-authenticate', 'Bearer')
    const wire = wires.find(({ owns }) => owns(request.url)) ?? (wires.at(-1) as Wire)
    const { status, body } = wire.toError(failure, request)
    return reply.code(status).send(body)
  }
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || isColophonError(error)) return undefined
  // Without the first line: a message may hold anything.
  return error.stack?.split('\n').slice(1, 8).join('\n')
}

import Fastify, { type FastifyReply, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import pino from 'pino'
import { createTerminalLog } from './terminal-log.ts'

/** The destination of the log: one call per line. */
export type LogDestination = { write(line: string): void }

/** The options of the logger. Without a destination, lines go to standard output: as JSON in the background, so that no request waits for them; as text on a terminal. */
export function loggerOptions(
  level: string,
  logTo: LogDestination = standardOutput(),
): NonNullable<FastifyServerOptions['logger']> {
  return {
    level,
    stream: logTo,
    // Paths contain refs and ids, headers contain keys: a log line has the route pattern instead.
    serializers: {
      req: (request) => ({ method: request.method, route: request.routeOptions?.url ?? 'none' }),
      res: (reply) => ({ status: reply.statusCode }),
    },
  }
}

function standardOutput(): LogDestination {
  if (process.stdout.isTTY) return createTerminalLog((text) => process.stdout.write(text))
  // A minimum of one byte writes at once as well, but only with a minimum does a flush wait for the write under way.
  return pino.destination({ dest: 1, sync: false, minLength: 1 })
}

const flushMsMax = 1_000

/** Waits until standard output has every line: the end of a process drops a write that is under way. */
export async function flushLog(log: object): Promise<void> {
  if (!('flush' in log) || typeof log.flush !== 'function') return
  const { promise, resolve } = Promise.withResolvers<void>()
  const overdue = setTimeout(resolve, flushMsMax)
  log.flush(() => resolve())
  await promise
  clearTimeout(overdue)
}

/** One line per request, when its connection is done with it. A request without a complete response is marked as aborted. */
export class RequestLog extends Fastify.LogController {
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    if (!(request.log as pino.Logger).isLevelEnabled('info')) return
    reply.raw.once('close', () => {
      const facts = { req: request, res: reply, responseTime: reply.elapsedTime }
      request.log.info(reply.raw.writableFinished ? facts : { ...facts, aborted: true }, 'request completed')
    })
  }

  override requestCompleted(error: Error | null | undefined, _request: FastifyRequest, reply: FastifyReply): void {
    if (error) reply.log.error({ res: reply, err: error, responseTime: reply.elapsedTime }, 'request errored')
  }
}

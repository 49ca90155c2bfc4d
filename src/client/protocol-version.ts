import type { CallOptions, Operation, Request, Transport } from './transport.ts'

/** The version of OpenWOP in which runs, interrupts, workflows, agents and webhooks are called. */
export type WireOption = 'auto' | 1 | 2

type Body = Readonly<Record<string, unknown>>

/** Operations that both versions have. All others, such as memory and provenance, have no version. */
const inBoth =
  /^\S+ \/v1(\/(?:(?:runs(?!\/\{runId\}\/debug-bundle)|interrupts|workflows|agents)(?:[/:].*)?|webhooks\/\{webhookId\})|(?<=^POST \/v1)\/webhooks)$/

/**
 * Sends the operations of the protocol in the version that was chosen. Callers state them in version 1, and get the members of version 1
 * that version 2 has too; ids are those of version 2, `TENANT/ID`.
 */
export function withProtocolVersion(transport: Transport, wire: WireOption): Transport {
  if (wire === 1) return transport
  let chosen: Promise<1 | 2> | undefined
  // The next call asks again.
  const forget = (error: unknown): never => {
    chosen = undefined
    throw error
  }
  const version = () => {
    chosen ??= wire === 2 ? Promise.resolve(2) : preferredVersion(transport).catch(forget)
    return chosen
  }
  return {
    ...transport,
    async send<T>(operation: Operation, request: Request = {}, options: CallOptions = {}): Promise<T> {
      if (!inBoth.test(operation)) return transport.send<T>(operation, withBareRunId(request), options)
      if ((await version()) === 1) return transport.send<T>(operation, request, options)
      if (operation === 'GET /v1/runs/{runId}/events') return allEvents<T>(transport, request, options)
      return sendInTwo<T>(transport, operation, request, options)
    },
    async open(operation, request, headers, signal) {
      if (!inBoth.test(operation) || (await version()) === 1) return transport.open(operation, request, headers, signal)
      return transport.open(toTwo(operation), request, { ...headers, ...two }, signal)
    },
  }
}

const two = { 'openwop-version': '2' }

/** The options of a call that only version 2 has. It is made in version 2, whatever the others use. */
export function inTwo(options: CallOptions = {}): CallOptions {
  return { ...options, headers: { ...two, ...options.headers } }
}

/** What has no version knows a run by the part of its id after the tenant. */
function withBareRunId(request: Request): Request {
  const runId = request.path?.runId
  return runId?.includes('/')
    ? { ...request, path: { ...request.path, runId: runId.slice(runId.indexOf('/') + 1) } }
    : request
}

/** A host that does not say it speaks version 1. */
async function preferredVersion({ send }: Transport): Promise<1 | 2> {
  const { preferredVersion } = await send<{ preferredVersion?: string }>('GET /.well-known/openwop')
  return preferredVersion !== undefined && !preferredVersion.startsWith('1.') ? 2 : 1
}

function toTwo(operation: Operation): Operation {
  return operation.replace(' /v1/', ' /') as Operation
}

async function sendInTwo<T>({ send }: Transport, operation: Operation, request: Request, options: CallOptions) {
  const body = request.body === undefined ? {} : { body: toBody(operation, request.body as Body) }
  const sent = { ...request, query: toQuery(operation, (request.query ?? {}) as Body), ...body }
  const answer = await send<Body>(toTwo(operation), sent, inTwo(options))
  return toAnswer(operation, answer) as T
}

const optionsOfRuns = ['recursionLimit', 'runTimeoutMs', 'maxLoopIterations', 'escalationThreshold']

/** Version 2 has the options of a run in groups. */
function toBody(operation: Operation, body: Body): Body {
  const { configurable } = body as { configurable?: Body }
  if (operation !== 'POST /v1/runs' || configurable === undefined || 'version' in configurable) return body
  const entries = Object.entries(configurable)
  const run = Object.fromEntries(entries.filter(([name]) => optionsOfRuns.includes(name)))
  const rest = Object.fromEntries(entries.filter(([name]) => !optionsOfRuns.includes(name)))
  return { ...body, configurable: { version: 1, run, ...rest } }
}

function toQuery(operation: Operation, query: Body): Body {
  if (!operation.endsWith('/events/poll')) return query
  const { lastSequence, timeout, ...rest } = query
  const after = typeof lastSequence === 'number' && lastSequence >= 0 ? { afterSequence: lastSequence } : {}
  return { ...rest, ...after, ...(timeout === undefined ? {} : { timeout: Math.max(1, Number(timeout)) }) }
}

/** The members that version 1 calls otherwise. */
function toAnswer(operation: Operation, answer: Body): Body {
  if (operation.endsWith('/events/poll')) {
    const { lastSequence, status: runStatus, ...poll } = answer
    const events = answer.events as readonly { readonly sequence: number }[]
    const lastEventSeq = events.at(-1)?.sequence ?? Number(lastSequence)
    return { ...poll, runStatus, lastEventSeq, isComplete: answer.isTerminal && lastEventSeq >= Number(lastSequence) }
  }
  if (!operation.endsWith(':bulk-cancel')) return answer
  const results = answer.results as readonly Body[]
  return { ...answer, results: results.map((result) => ('error' in result ? withCode(result) : result)) }
}

function withCode(result: Body): Body {
  const { error: code, ...error } = result.error as Body
  return { ...result, error: { code, ...error } }
}

/** Version 2 has the log as a stream or page by page. */
async function allEvents<T>(transport: Transport, request: Request, options: CallOptions): Promise<T> {
  const events: { readonly sequence: number }[] = []
  for (;;) {
    const query = { lastSequence: events.at(-1)?.sequence ?? -1, timeout: 1 }
    const polled = { ...request, query }
    const page = await sendInTwo<{ events: { sequence: number }[]; isTerminal: boolean; isComplete: boolean }>(
      transport,
      'GET /v1/runs/{runId}/events/poll',
      polled,
      options,
    )
    events.push(...page.events)
    if (page.events.length === 0 || page.isComplete) return { events } as T
  }
}

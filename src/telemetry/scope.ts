import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context, createTraceState, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api'
import { limits } from '../core/limits.ts'
import { formatTraceParent, parseTraceParent, type TraceLink } from '../core/trace.ts'

/**
 * One request or one attempt of a job, wherever its work goes on: the trace it belongs to, and where its time went.
 * OpenTelemetry carries contexts only where an SDK is registered; a trace must also pass through a server without one.
 */
export type Scope = {
  readonly context: Context
  /** Waited for the store, all calls together, queueing included. */
  storageMs: number
  /** Waited for a place in a transaction. */
  queueMs: number
  /** Waited for a turn among the requests of its tenant, before anything was done. */
  turnMs: number
  /** Lets the next of its tenant begin, when all there is left to do is to wait for somebody else. */
  stepAside: () => void
}

const scopes = new AsyncLocalStorage<Scope>()

export function newScope(parent: Context): Scope {
  return { context: parent, storageMs: 0, queueMs: 0, turnMs: 0, stepAside() {} }
}

export function currentScope(): Scope | undefined {
  return scopes.getStore()
}

export function inScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, () => context.with(scope.context, work))
}

/** What the SDK says is active; without one, what the scope began with. */
export function activeContext(): Context {
  const active = context.active()
  return active === ROOT_CONTEXT ? (scopes.getStore()?.context ?? active) : active
}

/** The context that follows a link; the root when it is none. */
export function contextOf(parent: unknown, state: unknown): Context {
  const parts = parseTraceParent(parent)
  if (parts === null) return ROOT_CONTEXT
  const { traceId, spanId, flags: traceFlags } = parts
  const fits = typeof state === 'string' && state.length <= limits.traceStateCharactersMax
  // It leaves out members that are malformed.
  const traceState = fits ? createTraceState(state) : undefined
  const link: SpanContext = { traceId, spanId, traceFlags, isRemote: true, ...(traceState ? { traceState } : {}) }
  return trace.setSpanContext(ROOT_CONTEXT, link)
}

/** Where whatever begins now would hang in the trace; null without one. */
export function currentTrace(from: Context = activeContext()): TraceLink | null {
  const active = trace.getSpanContext(from)
  if (active === undefined || !trace.isSpanContextValid(active)) return null
  const { traceId, spanId, traceFlags: flags, traceState } = active
  return { parent: formatTraceParent({ traceId, spanId, flags }), state: traceState?.serialize() || null }
}

/** The headers by which a receiver goes on with the trace. */
export function traceHeaders(): Record<string, string> {
  const link = currentTrace()
  if (link === null) return {}
  return { traceparent: link.parent, ...(link.state === null ? {} : { tracestate: link.state }) }
}

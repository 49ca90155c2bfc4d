import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, SpanContext } from '@opentelemetry/api'
import { limits } from '../core/limits.ts'
import { formatTraceParent, parseTraceParent, type TraceLink } from '../core/trace.ts'
import { context, createTraceState, ROOT_CONTEXT, trace } from './otel.ts'

/**
 * The async context of one request or job attempt: its trace, and the times that it waited. It exists beside the context of
 * OpenTelemetry, because that works only with an SDK, and a trace must pass through a server without one too.
 */
export type TraceScope = {
  readonly context: Context
  /** Time of all storage calls together, including their queueing. */
  storageMs: number
  /** Time that commits waited for a transaction. */
  commitQueueMs: number
  /** Time that the request waited in the queue of its tenant. */
  requestQueueMs: number
}

const scopes = new AsyncLocalStorage<TraceScope>()

/** Runs a function outside of any scope: a timer for the whole process must not keep the scope of the request that sets it. */
export const outsideTraceScopes: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()

/** A new scope in the given trace context. */
export function newTraceScope(parent: Context): TraceScope {
  return { context: parent, storageMs: 0, commitQueueMs: 0, requestQueueMs: 0 }
}

/** The scope of the current request or job attempt; undefined outside of both. */
export function currentTraceScope(): TraceScope | undefined {
  return scopes.getStore()
}

/** Runs a function in a scope. */
export function inTraceScope<T>(scope: TraceScope, work: () => T): T {
  return scopes.run(scope, () => context.with(scope.context, work))
}

/** The active context of the SDK; without an SDK, the context of the scope. */
export function activeContext(): Context {
  const active = context.active()
  return active === ROOT_CONTEXT ? (scopes.getStore()?.context ?? active) : active
}

/** The context of a remote `traceparent` and `tracestate`; the root context if they are malformed. */
export function contextOf(parent: unknown, state: unknown): Context {
  const parts = parseTraceParent(parent)
  if (parts === null) return ROOT_CONTEXT
  const { traceId, spanId, flags: traceFlags } = parts
  const fits = typeof state === 'string' && state.length <= limits.traceStateCharactersMax
  // The parser drops malformed members.
  const traceState = fits ? createTraceState(state) : undefined
  const link: SpanContext = { traceId, spanId, traceFlags, isRemote: true, ...(traceState ? { traceState } : {}) }
  return trace.setSpanContext(ROOT_CONTEXT, link)
}

/** The current position in the trace, as a link for work that continues it later; null without a trace. */
export function currentTrace(from: Context = activeContext()): TraceLink | null {
  const active = trace.getSpanContext(from)
  if (active === undefined || !trace.isSpanContextValid(active)) return null
  const { traceId, spanId, traceFlags: flags, traceState } = active
  return { parent: formatTraceParent({ traceId, spanId, flags }), state: traceState?.serialize() || null }
}

/** The headers with which a receiver continues the trace. */
export function traceHeaders(): Record<string, string> {
  const link = currentTrace()
  if (link === null) return {}
  return { traceparent: link.parent, ...(link.state === null ? {} : { tracestate: link.state }) }
}

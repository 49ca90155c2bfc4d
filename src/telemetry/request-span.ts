import type { Attributes } from '@opentelemetry/api'
import { SpanKind, SpanStatusCode, trace } from './otel.ts'
import { findDuration, findTracer } from './sdk.ts'
import { contextOf, newTraceScope, type TraceScope } from './trace-scope.ts'

/** What a span of a request needs to know. */
export type RequestFacts = {
  readonly method: string
  /** The route pattern; null for a path without a route. */
  readonly route: string | null
  /** The request id that this host assigned. */
  readonly requestId: string
  readonly traceparent: unknown
  readonly tracestate: unknown
}

/** The scope of a request, and the function that ends its span; `end` is null without an OpenTelemetry SDK. */
export type RequestSpan = { readonly scope: TraceScope; readonly end: ((status: number) => void) | null }

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The HTTP method as a label: `_OTHER` for unknown ones, because a client can send any word. */
export function knownMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}

/** Starts the span of a request, in the trace that its headers name. */
export function startRequestSpan(facts: RequestFacts): RequestSpan {
  const parent = contextOf(facts.traceparent, facts.tracestate)
  const tracer = findTracer()
  const duration = findDuration('http.server.request.duration')
  if (tracer === null && duration === null) return { scope: newTraceScope(parent), end: null }
  const began = performance.now()
  const method = knownMethod(facts.method)
  const named = { 'http.request.method': method, ...(facts.route === null ? {} : { 'http.route': facts.route }) }
  const attributes: Attributes = { ...named, 'colophon.request.id': facts.requestId }
  const name = facts.route === null ? method : `${method} ${facts.route}`
  const span = tracer?.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  return {
    scope: newTraceScope(span === undefined ? parent : trace.setSpan(parent, span)),
    end(status) {
      const answered = { 'http.response.status_code': status }
      span?.setAttributes(answered)
      if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      duration?.record((performance.now() - began) / 1_000, { ...named, ...answered })
    },
  }
}

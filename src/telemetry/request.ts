import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { durationOf, tracer } from './observed.ts'
import { contextOf, newScope, type Scope } from './scope.ts'

export type RequestFacts = {
  readonly method: string
  /** The pattern of the path; null when there is none that fits. */
  readonly route: string | null
  /** The host's own. */
  readonly requestId: string
  readonly traceparent: unknown
  readonly tracestate: unknown
}

export type ObservedRequest = { readonly scope: Scope; readonly end: (status: number) => void }

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Clients may send any word. */
export function knownMethod(method: string): string {
  return methods.has(method) ? method : '_OTHER'
}

/** A request as a span, in the trace that the caller names. */
export function beginRequest(facts: RequestFacts): ObservedRequest {
  const began = performance.now()
  const method = knownMethod(facts.method)
  const named = { 'http.request.method': method, ...(facts.route === null ? {} : { 'http.route': facts.route }) }
  const attributes = { ...named, 'colophon.request.id': facts.requestId }
  const parent = contextOf(facts.traceparent, facts.tracestate)
  const name = facts.route === null ? method : `${method} ${facts.route}`
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  return {
    scope: newScope(trace.setSpan(parent, span)),
    end(status) {
      const answered = { 'http.response.status_code': status }
      span.setAttributes(answered)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      durationOf('http.server.request.duration').record((performance.now() - began) / 1_000, { ...named, ...answered })
    },
  }
}

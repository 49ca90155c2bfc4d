import type { Histogram, Tracer } from '@opentelemetry/api'
import { createNoopMeter, metrics, trace } from './otel.ts'

const name = 'colophon'
let found: Tracer | null | undefined
const durations = new Map<string, Histogram | null>()

/**
 * The tracer; null without an OpenTelemetry SDK, so that no spans are created for nothing. Looked up once, on first use: an SDK must be
 * registered before, as `node --import` does.
 */
export function findTracer(): Tracer | null {
  if (found === undefined) {
    const tracer = trace.getTracer(name)
    const probe = tracer.startSpan('probe', { root: true })
    // With an SDK, even a span that is not sampled has ids. The probe is never ended, so it is never exported.
    found = trace.isSpanContextValid(probe.spanContext()) ? tracer : null
  }
  return found
}

/** The histogram of a duration; null without a metrics SDK. */
export function findDuration(of: string): Histogram | null {
  const known = durations.get(of)
  if (known !== undefined) return known
  const meter = metrics.getMeter(name)
  const made = meter === createNoopMeter() ? null : meter.createHistogram(of, { unit: 's' })
  durations.set(of, made)
  return made
}

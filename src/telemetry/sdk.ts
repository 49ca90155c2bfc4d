import { createNoopMeter, type Histogram, metrics, type Tracer, trace } from '@opentelemetry/api'

const name = 'colophon'
let found: Tracer | null | undefined
const durations = new Map<string, Histogram | null>()

/**
 * Null without an SDK, so that nothing is made for nobody. Looked for once, by the first who needs it: an SDK is
 * registered before that, as `node --import` does.
 */
export function findTracer(): Tracer | null {
  if (found === undefined) {
    const tracer = trace.getTracer(name)
    const probe = tracer.startSpan('probe', { root: true })
    // Of an SDK even a span that nobody keeps has ids. It is not ended, so nobody is told of it.
    found = trace.isSpanContextValid(probe.spanContext()) ? tracer : null
  }
  return found
}

/** Null without an SDK for metrics. */
export function findDuration(of: string): Histogram | null {
  const known = durations.get(of)
  if (known !== undefined) return known
  const meter = metrics.getMeter(name)
  const made = meter === createNoopMeter() ? null : meter.createHistogram(of, { unit: 's' })
  durations.set(of, made)
  return made
}

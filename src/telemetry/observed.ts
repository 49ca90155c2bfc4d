import { type Attributes, context, type Histogram, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { isColophonError } from '../core/errors.ts'
import { type Labels, tellMeasured } from './measured.ts'
import { activeContext, currentScope } from './scope.ts'

/** Only what a server says of itself: no text, no name that somebody chose, no tenant, ref, path or address. */
export type Notes = {
  readonly attempt?: number
  readonly status?: number
  readonly repeated?: boolean
  readonly outcome?: string
}

type Options = { readonly waitedMs?: number }

const kinds: Readonly<Record<keyof Labels, SpanKind>> = {
  commit: SpanKind.INTERNAL,
  job: SpanKind.CONSUMER,
  node: SpanKind.INTERNAL,
  search: SpanKind.INTERNAL,
  webhook: SpanKind.CLIENT,
  model: SpanKind.CLIENT,
}

/** The names by which spans and metrics go out; `http.response.status_code` is a name that everybody uses. */
const attributeNames: Readonly<Record<string, string>> = {
  status: 'http.response.status_code',
  attempt: 'colophon.job.attempt',
  repeated: 'colophon.repeated',
}

export const tracer = trace.getTracer('colophon')

/** Does a piece of work as a span of its own, and measures it. Costs next to nothing while no SDK is registered. */
export async function observed<Name extends keyof Labels, T>(
  name: Name,
  labels: Labels[Name],
  work: (note: (notes: Notes) => void) => Promise<T>,
  { waitedMs }: Options = {},
): Promise<T> {
  const began = performance.now()
  const parent = activeContext()
  const [first] = Object.values(labels)
  const span = tracer.startSpan(first === undefined ? name : `${name} ${first}`, { kind: kinds[name] }, parent)
  let outcome = 'ok'
  const note = ({ outcome: said, ...notes }: Notes): void => {
    outcome = said ?? outcome
    if (span.isRecording()) span.setAttributes(toAttributes(name, notes))
  }
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, note)
  } catch (error) {
    if (outcome === 'ok') outcome = outcomeOf(error)
    throw error
  } finally {
    const ms = performance.now() - began
    if (span.isRecording()) {
      span.setAttributes({ ...toAttributes(name, labels), 'colophon.outcome': outcome })
      // Without a message: that of an error may hold anything.
      if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end()
    durationOf(`colophon.${name}.duration`).record(ms / 1_000, toAttributes(name, { ...labels, outcome }))
    tellMeasured({ name, labels, outcome, ms, scope: currentScope(), waitedMs })
  }
}

/** Codes are the host's own words; whatever else was thrown may say anything. */
export function outcomeOf(error: unknown): string {
  return isColophonError(error) ? error.code : 'other'
}

function toAttributes(name: string, values: object): Attributes {
  const named = Object.entries(values).map(([key, value]) => [
    attributeNames[key] ?? (key === 'outcome' ? 'colophon.outcome' : `colophon.${name}.${key}`),
    value,
  ])
  return Object.fromEntries(named) as Attributes
}

const durations = new Map<string, Histogram>()

/** Made when it is first needed, because an SDK that is registered before that is used. */
export function durationOf(name: string): Histogram {
  const known = durations.get(name)
  if (known) return known
  const made = metrics.getMeter('colophon').createHistogram(name, { unit: 's' })
  durations.set(name, made)
  return made
}

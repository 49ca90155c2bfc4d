import type { Attributes, Tracer } from '@opentelemetry/api'
import { isColophonError } from '../core/errors.ts'
import { emitMeasurement, type MeasurementLabels } from './measurement.ts'
import { context, SpanKind, SpanStatusCode, trace } from './otel.ts'
import { findDuration, findTracer } from './sdk.ts'
import { activeContext, currentTraceScope } from './trace-scope.ts'

/** Attributes of a span, in values of the program only: no text or name of a caller, no tenant, ref, path or address. */
export type SpanNotes = {
  readonly attempt?: number
  readonly status?: number
  readonly repeated?: boolean
  readonly outcome?: string
}

type Note = (notes: SpanNotes) => void
type Work<T> = (note: Note) => Promise<T>

const kinds: Readonly<Record<keyof MeasurementLabels, SpanKind>> = {
  commit: SpanKind.INTERNAL,
  job: SpanKind.CONSUMER,
  node: SpanKind.INTERNAL,
  webhook: SpanKind.CLIENT,
  model: SpanKind.CLIENT,
}

/** Attribute names that do not have the prefix of their operation. */
const attributeNames: Readonly<Record<string, string>> = {
  status: 'http.response.status_code',
  outcome: 'colophon.outcome',
}

/**
 * Runs a function as a span and measures it. Without an OpenTelemetry SDK it is only measured.
 *
 * @example
 * await withSpan('model', { purpose: 'extract' }, async (note) => {
 *   const response = await fetch(url)
 *   note({ status: response.status })
 *   return response.json()
 * })
 */
export async function withSpan<Name extends keyof MeasurementLabels, T>(
  name: Name,
  labels: MeasurementLabels[Name],
  work: Work<T>,
  waitedMs = 0,
): Promise<T> {
  const began = performance.now()
  let outcome = 'ok'
  const note: Note = (notes) => {
    outcome = notes.outcome ?? outcome
  }
  try {
    const tracer = findTracer()
    return await (tracer === null ? work(note) : inSpan(tracer, name, labels, note, work))
  } catch (error) {
    if (outcome === 'ok') outcome = outcomeOf(error)
    throw error
  } finally {
    const ms = performance.now() - began
    findDuration(`colophon.${name}.duration`)?.record(ms / 1_000, toAttributes(name, { ...labels, outcome }))
    emitMeasurement({ name, labels, outcome, ms, traceScope: currentTraceScope(), waitedMs })
  }
}

async function inSpan<Name extends keyof MeasurementLabels, T>(
  tracer: Tracer,
  name: Name,
  labels: MeasurementLabels[Name],
  note: Note,
  work: Work<T>,
): Promise<T> {
  const parent = activeContext()
  const attributes = toAttributes(name, labels)
  const [first] = Object.values(attributes)
  const span = tracer.startSpan(
    first === undefined ? name : `${name} ${first}`,
    { kind: kinds[name], attributes },
    parent,
  )
  let outcome = 'ok'
  const noteBoth: Note = (notes) => {
    note(notes)
    outcome = notes.outcome ?? outcome
    span.setAttributes(toAttributes(name, notes))
  }
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, noteBoth)
  } catch (error) {
    if (outcome === 'ok') outcome = outcomeOf(error)
    throw error
  } finally {
    span.setAttribute('colophon.outcome', outcome)
    // Without the message of the error, which may contain any text.
    if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
}

/** The outcome label of an error: its code. Other thrown values may contain any text, so they are `other`. */
export function outcomeOf(error: unknown): string {
  return isColophonError(error) ? error.code : 'other'
}

function toAttributes(name: string, values: object): Attributes {
  const named = Object.entries(values).map(([key, value]) => [attributeNames[key] ?? `colophon.${name}.${key}`, value])
  return Object.fromEntries(named) as Attributes
}

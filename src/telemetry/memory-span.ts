import type { Attributes } from '@opentelemetry/api'
import { isColophonError } from '../core/errors.ts'
import { context, SpanKind, SpanStatusCode, trace } from './otel.ts'
import { findTracer } from './sdk.ts'
import { activeContext } from './trace-scope.ts'

/** The memory operations of OpenTelemetry's conventions for GenAI. */
export type MemoryOperationName =
  | 'create_memory'
  | 'update_memory'
  | 'upsert_memory'
  | 'delete_memory'
  | 'search_memory'

/** What a span of a memory operation says besides its name: how many entries, and the entry if it is a single one. */
export type MemorySpanNotes = { readonly recordCount?: number; readonly recordId?: string }

type Note = (notes: MemorySpanNotes) => void

const noNote: Note = () => {}

/**
 * Runs a memory operation as a span of the GenAI conventions. The query, contents, refs and tenants are not reported. Without an
 * OpenTelemetry SDK there is no span, and the function is called directly.
 *
 * @example
 * return withMemorySpan('search_memory', async (note) => {
 *   const results = await find(query)
 *   note({ recordCount: results.length })
 *   return results
 * })
 */
export function withMemorySpan<T>(name: MemoryOperationName, work: (note: Note) => Promise<T>): Promise<T> {
  const tracer = findTracer()
  if (tracer === null) return work(noNote)
  const parent = activeContext()
  const attributes = { 'gen_ai.operation.name': name }
  const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent)
  const note: Note = (notes) => span.setAttributes(toAttributes(notes))
  return context
    .with(trace.setSpan(parent, span), work, undefined, note)
    .catch((error: unknown) => {
      // By its code: the message of an error may contain any text.
      span.setAttribute('error.type', isColophonError(error) ? error.code : '_OTHER')
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    })
    .finally(() => span.end())
}

/** Ids that this host gave. An imported entry may have another one, which a caller chose. */
const ownId = /^mem_[0-9a-f-]{36}$/

function toAttributes({ recordCount, recordId }: MemorySpanNotes): Attributes {
  return {
    ...(recordCount === undefined ? {} : { 'gen_ai.memory.record.count': recordCount }),
    ...(recordId !== undefined && ownId.test(recordId) ? { 'gen_ai.memory.record.id': recordId } : {}),
  }
}

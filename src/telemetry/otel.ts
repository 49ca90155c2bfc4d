import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'

/**
 * The API of OpenTelemetry. Required instead of imported: the metrics package requires it too, and an import would load the whole package a
 * second time, as modules, which is a twentieth of a start. Copies of the API share what a program has registered.
 */
const api: typeof Api = createRequire(import.meta.url)('@opentelemetry/api')

export const { context, createNoopMeter, createTraceState, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
  api
export type SpanKind = Api.SpanKind

/** What an operator loads before the server (`node --import`): the SDK, here with a file instead of a collector. */
import { appendFileSync } from 'node:fs'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import { type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

const file = process.env.TEST_SPANS_FILE ?? ''
type Done = (result: { code: number }) => void

const spans = {
  export(ended: ReadableSpan[], done: Done) {
    for (const span of ended) {
      const { name, kind, status, attributes, events, links, parentSpanContext } = span
      const { traceId, spanId } = span.spanContext()
      const record = { name, kind, status, attributes, events, links, traceId, spanId }
      appendFileSync(file, `${JSON.stringify({ ...record, parentId: parentSpanContext?.spanId ?? null })}\n`)
    }
    done({ code: 0 })
  },
  async shutdown() {},
}

const measurements = {
  export({ scopeMetrics }: ResourceMetrics, done: Done) {
    for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
      const points = dataPoints.map(({ attributes }) => attributes)
      appendFileSync(file, `${JSON.stringify({ metric: descriptor.name, points })}\n`)
    }
    done({ code: 0 })
  },
  selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
  async forceFlush() {},
  async shutdown() {},
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }))
const reader = new PeriodicExportingMetricReader({
  exporter: measurements,
  exportIntervalMillis: 100,
  exportTimeoutMillis: 50,
})
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

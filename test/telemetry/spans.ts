import { readFileSync } from 'node:fs'
import type { Env } from '../support/server.ts'

export type Span = {
  readonly name: string
  readonly kind: number
  readonly status: { readonly code: number; readonly message?: string }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly unknown[]
  readonly links: readonly unknown[]
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
}

export type Metric = { readonly metric: string; readonly points: readonly Readonly<Record<string, unknown>>[] }

/** Starts a server under the SDK, which writes its spans and metrics to the file. */
export function sdkEnv(file: string): Env {
  const program = new URL('./sdk-program.ts', import.meta.url).href
  return { NODE_OPTIONS: `--import ${program}`, TEST_SPANS_FILE: file }
}

export function readSpans(file: string): { text: string; spans: Span[]; metrics: Metric[] } {
  const text = readFileSync(file, 'utf8')
  // The last line may still be being written.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
  const records = lines.map((line) => JSON.parse(line) as Span | Metric)
  return {
    text,
    spans: records.filter((one): one is Span => 'spanId' in one),
    metrics: records.filter((one): one is Metric => 'metric' in one),
  }
}

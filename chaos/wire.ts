import { readFileSync } from 'node:fs'

/** One request and its response over a real connection. */
export type Target = { readonly url: string; readonly key: string }

export type Call = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

export type Answer = {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the checks decide what a response is.
  readonly body: any
}

export type Wire = (target: Target, call: Call, hangUp?: AbortSignal) => Promise<Answer>

/** Longer than a running server takes; a suspended one is given up for another. */
const answerMsMax = 4_000

export const overHttp: Wire = async ({ url, key }, { method, path, body, idempotencyKey }, hangUp) => {
  const late = AbortSignal.timeout(answerMsMax)
  const response = await fetch(url + path, {
    method,
    signal: hangUp ? AbortSignal.any([late, hangUp]) : late,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

/** How a connection ended without a response, in one word. */
export function cutOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown }; name?: string }
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'unknown')
}

const page = new URL('../docs/ERRORS.md', import.meta.url)
const documented = new Set(
  Array.from(readFileSync(page, 'utf8').matchAll(/`([a-z]+(?:_[a-z]+)*)`/g), ([, code]) => code),
)

/** The code of a refusal; null when it has none that is documented. */
export function codeOf({ body }: Answer): string | null {
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown }
  return typeof error === 'string' && typeof message === 'string' && documented.has(error) ? error : null
}

/** Whether the same call may succeed in a while. */
export function isPassing(answer: Answer): boolean {
  const passing = ['redaction_stale', 'run_changed', 'write_contention', 'source_event_exists']
  return answer.status === 503 || answer.status === 429 || passing.includes(codeOf(answer) ?? '')
}

/** The path of the entries of a ref. */
export const entriesPath = (ref: string) => `/v1/host/colophon/memory/${encodeURIComponent(ref)}/entries`

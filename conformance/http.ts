// One request to the host under test. A status is never an error here; only a host that does not answer is.
import type { JsonObject, Target } from './harness.ts'

export type HttpOptions = {
  /** Sent as JSON, or as it is when it is a string. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** 'key' (default), 'keyB', 'none', or any other text as the bearer value itself. */
  readonly auth?: string
  readonly timeoutMs?: number
  readonly redirect?: 'follow' | 'manual'
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, or undefined when it is not JSON. */
  readonly json: unknown
  /** The parsed body when it is an object, else an empty object. */
  readonly body: JsonObject
}

const defaultTimeoutMs = 15_000

export function authHeaders(target: Target, auth = 'key'): Record<string, string> {
  if (auth === 'none') return {}
  const bearer = auth === 'key' ? target.key : auth === 'keyB' ? target.keyB : auth
  if (bearer === null) throw new Error('this scenario uses keyB without asking whether there is one')
  return { Authorization: `Bearer ${bearer}` }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function sendRequest(target: Target, method: string, path: string, options: HttpOptions): Promise<Answer> {
  const headers: Record<string, string> = { Accept: 'application/json', ...authHeaders(target, options.auth) }
  const init: RequestInit = {
    method,
    redirect: options.redirect ?? 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs),
  }
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    init.body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body)
  }
  const response = await fetch(new URL(path, target.url), { ...init, headers: { ...headers, ...options.headers } })
  const text = await response.text()
  const json = parse(text)
  const isRecord = json !== null && typeof json === 'object' && !Array.isArray(json)
  return { status: response.status, headers: response.headers, text, json, body: isRecord ? (json as JsonObject) : {} }
}

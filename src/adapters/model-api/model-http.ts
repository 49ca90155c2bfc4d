import { checkCount, checkIdentifier } from '../../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { visibleText } from '../../core/visible-text.ts'
import { withSpan } from '../../telemetry/span.ts'
import { traceHeaders } from '../../telemetry/trace-scope.ts'

/** The configuration of a model behind an OpenAI-compatible API. */
export type ModelOptions = {
  /** The base URL of the API, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey: string | null
  /** The timeout of one call, from connecting to the end of the response. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

/** Checked options, with the full URL of one endpoint. */
export type ModelHttpOptions = {
  readonly endpoint: URL
  readonly model: string
  readonly apiKey: string | null
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

/** The error code for a response that cannot be used. */
export type FailureCode = 'extraction_failed' | 'summary_failed' | 'embedding_failed' | 'model_failed'

const timeoutMsDefault = 30_000
const modelCharactersMax = 200

/** Checks the options and adds the path of an endpoint. */
export function toModelHttpOptions(options: ModelOptions, path: string): ModelHttpOptions {
  const { model, apiKey, timeoutMs = timeoutMsDefault } = options
  checkIdentifier('model', model, 'modelCharactersMax', modelCharactersMax)
  checkCount('timeoutMs', timeoutMs, 1)
  // Fetch would quote an invalid header value in its error.
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey', 'must be printable characters without spaces')
  }
  return { endpoint: toEndpoint(options.url, path), model, apiKey, timeoutMs, fetch: options.fetch ?? fetch }
}

/** `…/v1` and `…/v1/` are the same. A query stays, because some servers expect their API version there. */
function toEndpoint(base: string, path: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('url', 'must be a URL that starts with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('url', 'must not contain a user or password; configure the API key separately')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  url.hash = ''
  return url
}

export const isSuccess = (status: number) => status >= 200 && status < 300
export const isInvalidRequest = (status: number) => status === 400 || status === 422

/** Sends a request. Returns status and body; the body is empty for most errors. Throws `model_unavailable` without a response. */
export function postToModel(
  options: ModelHttpOptions,
  body: string,
  signal: AbortSignal,
  response: ResponseOptions,
): Promise<ModelResponse> {
  return withSpan('model', { purpose: purposes[response.failed] }, async (note) => {
    // A vector follows no instruction, and a text of nothing else would be empty, which servers refuse.
    const sent = response.failed === 'embedding_failed' ? body : visibleText(body)
    const received = await post(options, sent, signal, response)
    note({ status: received.status, ...(isSuccess(received.status) ? {} : { outcome: 'status' }) })
    return received
  })
}

type ResponseOptions = { readonly failed: FailureCode; readonly bytesMax: number }
type ModelResponse = { readonly status: number; readonly body: string }

const purposes: Readonly<Record<FailureCode, string>> = {
  extraction_failed: 'extraction',
  summary_failed: 'summary',
  embedding_failed: 'embedding',
  model_failed: 'run',
}

async function post(
  options: ModelHttpOptions,
  body: string,
  signal: AbortSignal,
  { failed, bytesMax }: ResponseOptions,
): Promise<ModelResponse> {
  const { endpoint, apiKey, timeoutMs } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await options.fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...traceHeaders(),
      },
      body,
      // A redirect could send the messages and the key to another server.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    const { status } = response
    if (isSuccess(status) || isInvalidRequest(status))
      return { status, body: await readText(response, failed, bytesMax) }
    await response.body?.cancel()
    return { status, body: '' }
  } catch (error) {
    if (isColophonError(error)) throw error
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new ColophonError('model_unavailable', `The model did not answer within ${timeoutMs} ms.`)
    throw new ColophonError('model_unavailable', `The connection to the model's server failed${reasonOf(error)}.`)
  }
}

async function readText(response: Response, failed: FailureCode, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > bytesMax) throw new ColophonError(failed, `The model's response has more than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The system error code, such as ECONNREFUSED. The message is not used: it may contain anything. */
function reasonOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } } | null)?.cause?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : ''
}

/** The error for a status outside 2xx. */
export function statusError(status: number, failed: FailureCode): ColophonError {
  if (status === 408 || status === 429 || status >= 500) {
    return new ColophonError('model_unavailable', `The model's server is unavailable: it answered ${status}.`)
  }
  // Some fetch implementations report a redirect that is not followed as status 0.
  const problem =
    status === 401 || status === 403
      ? `refused the API key: it answered ${status}`
      : status === 404
        ? 'has no such endpoint or model: it answered 404'
        : status === 0 || (status >= 300 && status < 400)
          ? 'answered with a redirect, which is not followed'
          : `refused the request: it answered ${status}`
  return new ColophonError(failed, `The model's server ${problem}.`)
}

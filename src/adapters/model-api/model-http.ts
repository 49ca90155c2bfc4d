import { checkCount, checkIdentifier } from '../../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { observed } from '../../telemetry/observed.ts'
import { currentScope, traceHeaders } from '../../telemetry/scope.ts'

export type ModelOptions = {
  /** The base address of a server that speaks OpenAI's protocol, such as `https://api.openai.com/v1`. */
  readonly url: string
  readonly model: string
  readonly apiKey: string | null
  /** For each call of the model, from the connection to the end of the answer. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export type HttpOptions = {
  readonly endpoint: URL
  readonly model: string
  readonly apiKey: string | null
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

/** What is said when the server answers, but with nothing that can be used. */
export type FailureCode = 'extraction_failed' | 'summary_failed' | 'embedding_failed'

const timeoutMsDefault = 30_000
const modelCharactersMax = 200

export function toHttpOptions(options: ModelOptions, path: string): HttpOptions {
  const { model, apiKey, timeoutMs = timeoutMsDefault } = options
  checkIdentifier('model', model, 'modelCharactersMax', modelCharactersMax)
  checkCount('timeoutMs', timeoutMs, 1)
  // Fetch would quote a key that does not fit into a header in its error.
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalid('apiKey', 'must be printable characters without spaces')
  }
  return { endpoint: toEndpoint(options.url, path), model, apiKey, timeoutMs, fetch: options.fetch ?? fetch }
}

/** `…/v1` and `…/v1/` are the same; a query stays, because some servers want their version there. */
function toEndpoint(base: string, path: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('url', 'must be an address that starts with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('url', 'must not hold a user or a password; give the API key by itself')
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  url.hash = ''
  return url
}

export const isSuccess = (status: number) => status >= 200 && status < 300
export const isRefusedRequest = (status: number) => status === 400 || status === 422

/** Sends a body, and gives back what was answered when it may say something; throws when there was no answer. */
export function postToModel(
  options: HttpOptions,
  body: string,
  signal: AbortSignal,
  answers: Answers,
): Promise<ModelAnswer> {
  currentScope()?.stepAside()
  return observed('model', { purpose: purposes[answers.failed] }, async (note) => {
    const answer = await post(options, body, signal, answers)
    note({ status: answer.status, ...(isSuccess(answer.status) ? {} : { outcome: 'status' }) })
    return answer
  })
}

type Answers = { readonly failed: FailureCode; readonly bytesMax: number }
type ModelAnswer = { readonly status: number; readonly body: string }

const purposes: Readonly<Record<FailureCode, string>> = {
  extraction_failed: 'extraction',
  summary_failed: 'summary',
  embedding_failed: 'embedding',
}

async function post(
  options: HttpOptions,
  body: string,
  signal: AbortSignal,
  { failed, bytesMax }: Answers,
): Promise<ModelAnswer> {
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
      // Whoever can make the server point elsewhere would get the messages.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    const { status } = response
    if (isSuccess(status) || isRefusedRequest(status))
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
    if (bytes > bytesMax) throw new ColophonError(failed, `The model's answer has more than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The system's code for it, such as ECONNREFUSED; messages may hold anything. */
function reasonOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } } | null)?.cause?.code
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : ''
}

export function refusal(status: number, failed: FailureCode): ColophonError {
  if (status === 408 || status === 429 || status >= 500) {
    return new ColophonError('model_unavailable', `The model's server is busy or broken: it answered ${status}.`)
  }
  // A browser-like fetch shows a redirect that is not followed as status 0.
  const problem =
    status === 401 || status === 403
      ? `refused the API key: it answered ${status}`
      : status === 404
        ? 'knows no such address or model: it answered 404'
        : status === 0 || (status >= 300 && status < 400)
          ? 'answered with a redirect, which is not followed'
          : `refused the request: it answered ${status}`
  return new ColophonError(failed, `The model's server ${problem}.`)
}

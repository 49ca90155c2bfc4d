import { randomBytes } from 'node:crypto'
import { loadConfig } from '../config/config.ts'
import { fetchFrom } from '../mcp/inject-fetch.ts'
import { holderOf } from './data-lock.ts'
import { CliError, exitCodeOf, exitCodes } from './exit-codes.ts'

export type CallerOptions = {
  readonly url?: string
  readonly key?: string
  readonly tenant?: string
  readonly operator?: boolean
}

export type Answer = { readonly status: number; readonly body: unknown }

/** Makes the same HTTP call wherever the data is: on a server, or in this process. So every command exists once. */
export type Caller = {
  call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown>
  close(): Promise<void>
}

export async function openCaller(options: CallerOptions): Promise<Caller> {
  const url = options.url ?? process.env.COLOPHON_URL
  const { send, close } = url ? remote(url, options) : await embedded(options)
  return {
    async call(method, path, body) {
      const answer = await send(method, path, body)
      if (answer.status >= 400) throw toCliError(answer)
      return answer.body
    },
    close,
  }
}

type Send = (method: string, path: string, body: unknown) => Promise<Answer>

/** Where the client package finds the data: on a server, or in this process. */
export type Connection = {
  readonly url: string
  readonly key: string
  readonly fetch?: typeof fetch
  close(): Promise<void>
}

export async function openConnection(options: CallerOptions): Promise<Connection> {
  const url = options.url ?? process.env.COLOPHON_URL
  if (url) return { url, key: keyFor(url, options), close: async () => {} }
  const { server, key } = await startEmbedded(options)
  return { url: '', key, fetch: fetchFrom(server.app), close: () => server.close() }
}

function keyFor(url: string, options: CallerOptions): string {
  const key = options.key ?? process.env.COLOPHON_API_KEY
  if (!key) throw new CliError('An API key is needed: --key, or the variable COLOPHON_API_KEY.', exitCodes.usage)
  if (!URL.canParse(url)) throw new CliError('--url must be a URL such as http://127.0.0.1:4242.', exitCodes.usage)
  return key
}

function remote(url: string, options: CallerOptions): { send: Send; close: () => Promise<void> } {
  const key = keyFor(url, options)
  return {
    async send(method, path, body) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const response = await fetch(new URL(path, url), request).catch(() => {
        throw new CliError(`No server answers at ${new URL(url).origin}.`, exitCodes.unavailable)
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : parseAnswer(text) }
    },
    close: async () => {},
  }
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CliError('What answers there is not a Colophon server.', exitCodes.unavailable)
  }
}

async function startEmbedded(options: CallerOptions) {
  // Loaded on use: it is most of the program, and a command with --url needs none of it.
  const { createServer } = await import('../serve.ts')
  const config = loadConfig(process.env)
  const holder = config.storage === 'sqlite' ? holderOf(config.dataDir) : null
  if (holder) {
    throw new CliError(
      `A server holds this data folder. Talk to it instead: --url ${holder.url}`,
      exitCodes.unavailable,
    )
  }
  const key = randomBytes(32).toString('base64url')
  const operatorKey = randomBytes(32).toString('base64url')
  const server = await createServer({
    config: { ...config, operatorKey, rateLimitPerMin: 0, logLevel: 'silent' },
    localKey: { key, tenantId: options.tenant ?? 'default' },
  })
  return { server, key, operatorKey }
}

async function embedded(options: CallerOptions): Promise<{ send: Send; close: () => Promise<void> }> {
  const { server, key, operatorKey } = await startEmbedded(options)
  return {
    async send(method, path, body) {
      const response = await server.app.inject({
        method: method as 'GET',
        url: path,
        headers: { authorization: `Bearer ${options.operator ? operatorKey : key}` },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      return { status: response.statusCode, body: response.body === '' ? null : (response.json() as unknown) }
    },
    close: () => server.close(),
  }
}

function toCliError({ status, body }: Answer): CliError {
  const { error, message, details } = body as {
    error?: string
    message?: string
    details?: { hint?: string; fields?: string[] }
  }
  const lines = [
    `${error ?? status}: ${message ?? 'The server refused the call.'}`,
    ...(details?.fields ?? []),
    details?.hint,
  ]
  return new CliError(lines.filter(Boolean).join('\n  '), exitCodeOf(status))
}

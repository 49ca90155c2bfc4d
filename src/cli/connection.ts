import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, type ClientError, createClient, isClientError } from '../client/index.ts'
import { loadConfig } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { createInProcessFetch } from '../mcp/inject-fetch.ts'
import { findLockHolder } from '../operate/data-lock.ts'
import type { Server } from '../server/serve.ts'
import { CliError, exitCodeOf, exitCodes } from './exit-codes.ts'
import { chooseServer } from './server-choice.ts'

/** Which server and key a command uses; without a URL, which tenant of the data folder. */
export type ConnectionOptions = {
  readonly url?: string | undefined
  readonly key?: string | undefined
  /** A server and a key that `login` stored. */
  readonly profile?: string | undefined
  readonly tenant?: string | undefined
  readonly reader?: string | undefined
  /** Without a URL: act as the operator instead of as the tenant. */
  readonly operator?: boolean
  /** Without a URL: creates a missing database for a read too. Otherwise only a write creates it. */
  readonly creates?: boolean
  /** Without a URL: the clock of the engine; the machine's by default. */
  readonly clock?: EngineClock | undefined
}

/** A clock that can jump: `onMove` is then called, so that workers look for the jobs that became due. */
export type EngineClock = { readonly now: () => number; onMove: () => void }

/** A connection to a server, or to one in this process, whose URL is empty. */
export type Connection = {
  readonly url: string
  readonly key: string
  readonly reader?: string | undefined
  readonly fetch?: typeof fetch
  close(): Promise<void>
}

/** The timeout of one request, which the client requires: long, because an import or an audit takes minutes. */
const attemptMsMax = 24 * 3_600_000

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  // An operator without a URL acts in this process: the stored keys are those of tenants.
  const server = options.operator && !(options.url || process.env.COLOPHON_URL) ? null : chooseServer(options)
  if (server === null) return startEmbedded(options)
  return { ...server, reader: options.reader, close: async () => {} }
}

async function startEmbedded({
  tenant,
  reader,
  operator = false,
  creates = false,
  clock,
}: ConnectionOptions): Promise<Connection> {
  const config = loadConfig(process.env)
  const holder = config.storage === 'sqlite' ? findLockHolder(config.dataDir) : null
  if (holder) {
    throw new CliError(
      `A server uses the data folder ${config.dataDir}. Use that server: --url ${holder.url}`,
      exitCodes.unavailable,
    )
  }
  const key = randomBytes(32).toString('base64url')
  const operatorKey = randomBytes(32).toString('base64url')
  let started: Promise<Server> | null = null
  const start = async () => {
    // Loaded on use: the server is most of the program, and a command with --url does not need it.
    const { createServer } = await import('../server/serve.ts')
    const server = await createServer({
      config: { ...config, operatorKey, rateLimitPerMin: 0, keyBytesPerHour: 0, logLevel: 'silent' },
      localKey: { key, tenantId: tenant || 'default' },
      ...(clock ? { now: clock.now } : {}),
    })
    if (clock) clock.onMove = () => server.engine.workers.wake()
    return server
  }
  const send = async (url: string, init: RequestInit) => {
    if (started === null && !creates && isRead(url, init)) refuseMissingDatabase(config)
    started ??= start()
    return createInProcessFetch((await started).app)(url, init)
  }
  return {
    url: '',
    key: operator ? operatorKey : key,
    reader: operator ? undefined : reader,
    fetch: send as typeof fetch,
    close: async () => (await started)?.close(),
  }
}

function isRead(url: string, { method = 'GET' }: RequestInit): boolean {
  return method === 'GET' || method === 'HEAD' || /(?:\/search|\/retrieve|:preview)$/.test(url)
}

/** A read of a wrong folder must not leave a new, empty database there. */
function refuseMissingDatabase({ storage, dataDir }: Config): void {
  if (storage !== 'sqlite' || existsSync(join(dataDir, 'colophon.db'))) return
  throw new CliError(
    `There is no database in the data folder ${dataDir}. Set COLOPHON_DATA_DIR to another folder, use --url for a running server, or write something first.`,
    exitCodes.notFound,
  )
}

/**
 * Runs a command with a client. The same requests go to a server or to this process, so every command exists once. By
 * default there are no retries: a user wants to know at once that the server cannot be reached.
 */
export async function withClient<T>(
  options: ConnectionOptions & { readonly retries?: number },
  work: (client: Client, isEmbedded: boolean) => Promise<T>,
): Promise<T> {
  const { close, ...connection } = await openConnection(options)
  const isEmbedded = connection.url === ''
  const retry = { retries: options.retries ?? 0 }
  try {
    return await work(createClient({ ...connection, wire: 'auto', timeoutMs: attemptMsMax, retry }), isEmbedded)
  } catch (error) {
    if (!isClientError(error)) throw error
    // In this process the key is made for the command, so only a disabled tenant refuses it.
    if (isEmbedded && error.code === 'unauthenticated') throw disabledTenant(options.tenant || 'default')
    // In this process there is no network: the cause is a fault of the program, and says more.
    throw isEmbedded && error.code === 'no_answer' ? error.cause : toCliError(error, connection.url)
  } finally {
    await close()
  }
}

function disabledTenant(tenant: string): CliError {
  return new CliError(
    `The tenant ${tenant} is disabled. To enable it: colophon tenants enable ${tenant}`,
    exitCodes.forbidden,
  )
}

/** The message and the exit code of a failed request. */
export function toCliError({ code, status = 400, message, details, hint }: ClientError, url: string): CliError {
  if (code === 'unexpected_answer')
    return new CliError(
      `The server at ${new URL(url).origin} is not a Colophon server. Check --url.`,
      exitCodes.unavailable,
    )
  if (code === 'no_answer' || code === 'timed_out')
    return new CliError(
      `No server can be reached at ${new URL(url).origin}. Check --url, and that it runs.`,
      exitCodes.unavailable,
    )
  const fields = Array.isArray(details.fields) ? details.fields : []
  const said = [`${code}: ${message}`, ...fields, hint].filter(Boolean).join('\n  ')
  return new CliError(said, exitCodeOf(status), { code, message, hint, details })
}

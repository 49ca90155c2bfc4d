/** The public module `colophon/server`: a Colophon server inside of a program, with node types of that program. */

import { loadConfig } from '../config/config.ts'
import { configWarnings } from '../config/warnings.ts'
import { ColophonError } from '../core/errors.ts'
import type { NodeType } from '../nodes/index.ts'
import { lockDataDir } from '../operate/data-lock.ts'
import { drain, listen } from './listen.ts'
import { createServer } from './serve.ts'

/** Options of `startServer`. */
export type StartOptions = {
  /** Node types in addition to the built-in ones. They run in this process, for every tenant. */
  readonly nodeTypes?: readonly NodeType[]
  /** The configuration, by the variables of `colophon serve`; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A server that listens, from `startServer`. */
export type RunningServer = AsyncDisposable & {
  readonly url: string
  /** The API key of the tenant `default` that the first start on a new database creates; null on every later start. */
  readonly firstKey: string | null
  /** Ends streams, waits for open requests, stops the workers and closes the database. */
  close(): Promise<void>
}

/**
 * Starts the same server as `colophon serve`, in this process. The program handles signals itself.
 *
 * @example
 * const server = await startServer({ nodeTypes: [shout] })
 * console.log(`listening on ${server.url}`)
 * process.once('SIGTERM', () => void server.close())
 */
export async function startServer({ nodeTypes = [], env = process.env }: StartOptions = {}): Promise<RunningServer> {
  const config = loadConfig(env)
  const lock = config.storage === 'sqlite' ? lockDataDir(config.dataDir) : undefined
  if (lock === null)
    throw new ColophonError(
      'storage_busy',
      `Another server uses the data folder ${config.dataDir}. Stop it, or set COLOPHON_DATA_DIR.`,
    )
  try {
    const server = await createServer({ config, nodeTypes })
    for (const warning of configWarnings(env, config)) server.app.log.warn(warning)
    const close = async () => {
      await drain(server).finally(() => lock?.release())
    }
    try {
      const { url, firstKey } = await listen(server, config, (url) => lock?.recordUrl(url))
      return { url, firstKey, close, [Symbol.asyncDispose]: close }
    } catch (error) {
      await drain(server)
      throw error
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}

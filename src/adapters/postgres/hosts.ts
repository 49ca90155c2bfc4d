import pg from 'pg'
import { ColophonError } from '../../core/errors.ts'
import { isConnectionLoss } from './errors.ts'

/** The same URL for each of its hosts: `postgres://a:1,b:2/db` is `postgres://a:1/db` and `postgres://b:2/db`. */
export function urlsOfHosts(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  if (!hosts.includes(',')) return [url]
  const [, attribute = 'read-write'] = /[?&]target_session_attrs=([^&#]*)/.exec(after) ?? []
  if (attribute !== 'read-write' && attribute !== 'primary')
    throw new ColophonError(
      'validation_error',
      'target_session_attrs of the database URL must be read-write or primary: Colophon never reads from a standby.',
    )
  return hosts.split(',').map((host) => `${before}${host}${after}`)
}

/** A pool for a URL with several hosts. It connects to the one that accepts writes, and looks for it again when a connection fails. */
export class HostsPool extends pg.Pool {
  readonly #current: { index: number }
  readonly #count: number

  constructor(urls: readonly string[], config: pg.PoolConfig) {
    const current = { index: 0 }
    class ClientOfHost extends pg.Client {
      constructor(given: pg.ClientConfig) {
        super({ ...given, connectionString: urls[current.index] ?? '' })
      }
    }
    super({ ...config, Client: ClientOfHost, verify: refuseStandby } as unknown as pg.PoolConfig)
    this.#current = current
    this.#count = urls.length
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connecting = this.#connectToPrimary()
    if (!callback) return connecting
    connecting.then(
      (client) => callback(undefined, client, (release) => client.release(release)),
      (error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  async #connectToPrimary(): Promise<pg.PoolClient> {
    for (let left = this.#count; ; left--) {
      const { index } = this.#current
      try {
        return await super.connect()
      } catch (error) {
        // Of calls that fail together only the first moves on.
        if (this.#current.index === index && canBeElsewhere(error)) this.#current.index = (index + 1) % this.#count
        if (left <= 1 || !canBeElsewhere(error)) throw error
      }
    }
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void

const readOnly = '25006'

function canBeElsewhere(error: unknown): boolean {
  return isConnectionLoss(error) || (error as { code?: unknown }).code === readOnly
}

/** Called by the pool for each new connection. */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  client
    .query(`select current_setting('transaction_read_only') = 'on' as is_read_only`)
    .then(
      ({ rows }) =>
        done(
          rows[0]?.is_read_only ? Object.assign(new Error('This host is a standby.'), { code: readOnly }) : undefined,
        ),
      done,
    )
}

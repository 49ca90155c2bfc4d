import { randomBytes } from 'node:crypto'
import { createEmptyDatabase } from './databases.ts'
import { createHome, type Env, type Home, randomKey } from './server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** Several real servers on one PostgreSQL, with one set of keys, as behind a load balancer. */
export type Processes = AsyncDisposable & {
  readonly home: Home
  readonly databaseUrl: string
  readonly servers: ServerProcess[]
  /** The n-th in turn. */
  at(n: number): ServerProcess
  /** Another process on the address of one that has ended. */
  replace(gone: ServerProcess): Promise<ServerProcess>
}

export async function startProcesses(count: number, env: Env = {}): Promise<Processes> {
  const home = await createHome('postgres', createEmptyDatabase)
  const shared = {
    COLOPHON_BOOTSTRAP_KEY: randomKey(),
    COLOPHON_OPERATOR_KEY: randomKey(),
    COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
    COLOPHON_SIGNING_KEY: randomBytes(32).toString('base64'),
    ...env,
  }
  // All at once: they also race for creating the schema.
  const servers = await Promise.all(Array.from({ length: count }, () => startServerProcess({ home, env: shared })))
  const at = (n: number): ServerProcess => {
    const server = servers[n % servers.length]
    if (!server) throw new Error('There is no server.')
    return server
  }
  return {
    home,
    databaseUrl: home.env.COLOPHON_DATABASE_URL ?? '',
    servers,
    at,
    async replace(gone) {
      const next = await startServerProcess({ home, env: { ...shared, COLOPHON_PORT: new URL(gone.url).port } })
      servers[servers.indexOf(gone)] = next
      return next
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

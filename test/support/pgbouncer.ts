import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { eventually } from './child.ts'
import { createFolder } from './temporary-folder.ts'

const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0)
const nobody = 65_534
const isRoot = process.getuid?.() === 0

/** The version that is installed, such as 1.18.0; null when there is none. */
export const pgbouncerVersion =
  program === undefined ? null : (/\d+\.\d+\.\d+/.exec(String(spawnSync(program, ['--version']).stdout))?.[0] ?? '')

/** A pooler in front of a server: any database of it, by the same name. */
export type Pooler = AsyncDisposable & { urlOf(databaseUrl: string): string }

/** In transaction mode, with fewer connections to the server than clients have: every transaction may get another one. */
export async function startPgbouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  if (program === undefined) throw new Error('pgbouncer is not installed.')
  const server = new URL(serverUrl)
  const { path: home, remove } = createFolder()
  const port = await freePort()
  const config = join(home, 'pgbouncer.ini')
  const login = `user=${decodeURIComponent(server.username)} password=${decodeURIComponent(server.password)}`
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    max_client_conn: '500',
    default_pool_size: '3',
    logfile: join(home, 'log'),
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  const databases = `[databases]\n* = host=${server.hostname} port=${server.port || 5432} ${login}\n`
  writeFileSync(config, `${databases}[pgbouncer]\n${lines.join('\n')}\n`)
  if (isRoot) for (const path of [home, config]) chownSync(path, nobody, nobody)
  const child = spawn(program, [config], { ...(isRoot ? { uid: nobody, gid: nobody } : {}), stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const log = () => {
    try {
      return readFileSync(join(home, 'log'), 'utf8')
    } catch {
      return ''
    }
  }
  await eventually('pgbouncer listens', async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${log()}`)
    return log().includes('process up')
  })
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${port}`
      return url.href
    },
    async [Symbol.asyncDispose]() {
      await end(child)
      remove()
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return address !== null && typeof address === 'object' ? address.port : 0
}

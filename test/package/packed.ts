import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { builtPackage } from '../support/built-package.ts'
import type { Env } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'
import type { TestFolder } from '../support/temporary-folder.ts'

export const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const installMsMax = 120_000

export type Packed = {
  readonly stage: string
  readonly tarball: Buffer
  readonly files: readonly string[]
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/** The environment outside of this repository: without variables of the product and of the npm that runs this test. */
function outsideEnv(env: Env = {}): NodeJS.ProcessEnv {
  const { npm_config_local_prefix: _, NODE_OPTIONS: __, NODE_TEST_CONTEXT: ___, ...rest } = cleanEnv(env)
  return rest
}

/** What `npm pack` makes of the built package, and the folder that it was made of. */
export async function packInto(folder: TestFolder): Promise<Packed> {
  const stage = await builtPackage()
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path]
  const { stdout } = await run('npm', args, { cwd: stage, env: outsideEnv(), maxBuffer: 16 * 1_048_576 })
  const [made] = Object.values(JSON.parse(stdout)) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ]
  return {
    stage,
    tarball: readFileSync(folder.file(made.filename)),
    files: made.files.map((file) => file.path).sort(),
    packedBytes: made.size,
    unpackedBytes: made.unpackedSize,
  }
}

/** What a published file imports, as it names it. */
export function importedFrom(code: string): string[] {
  const statements = code.matchAll(/(?:\bfrom |^import )["']([^"']+)["'];$|\bimport\(['"]([^'"]+)['"]\)/gm)
  return [...statements].map(([, statement, call]) => statement ?? call ?? '')
}

/** The code of a file and of all files that it imports, by their paths. */
export function loadedFiles(file: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(file)) return found
  const code = readFileSync(file, 'utf8')
  found.set(file, code)
  for (const target of importedFrom(code)) if (target.startsWith('.')) loadedFiles(join(dirname(file), target), found)
  return found
}

/** The packages that a published file names, by their names alone. */
export function importedPackages(code: string): string[] {
  const packages = importedFrom(code).filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
  return packages.map((target) =>
    target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/'),
  )
}

/** An empty folder after `npm install`, as users run it. */
export async function installInto(folder: TestFolder, packages: readonly string[]): Promise<string> {
  const app = folder.file('app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages]
  await run('npm', args, { cwd: app, env: outsideEnv(), timeout: installMsMax })
  return app
}

/** A folder with the packed program as the image installs it, from its lockfile. */
export async function installLockedInto(folder: TestFolder, tarball: string): Promise<string> {
  const app = folder.file('app')
  mkdirSync(app)
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, 'deploy', name), join(app, name))
  copyFileSync(tarball, join(app, 'colophon.tgz'))
  const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', args, { cwd: app, env: outsideEnv(), timeout: installMsMax })
  rmSync(join(app, 'colophon.tgz'))
  return app
}

export async function inApp(app: string, command: string, args: readonly string[], env: Env = {}): Promise<string> {
  const { stdout } = await run(command, args, { cwd: app, env: outsideEnv(env), timeout: installMsMax })
  return stdout
}

export type Served = { readonly url: string; readonly key: string; stop(): Promise<number | null> }

/** `npx colophon serve` with no setting but a free port. The group of processes is npx, its shell and the server. */
export function serveFrom(app: string, dataHome: string = join(app, 'user-data')): Promise<Served> {
  const child = spawn('npx', ['colophon', 'serve'], {
    cwd: app,
    // Its data lies in the folder of the user, which is that of the test here.
    env: outsideEnv({ COLOPHON_PORT: '0', XDG_DATA_HOME: dataHome }),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  process.once('exit', () => end(child, 'SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return new Promise((resolve, reject) => {
    let key = ''
    void ended.then((code) => reject(new Error(`The server ended with ${code}.`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      key = /^colophon api key for tenant default: (\S+)$/.exec(line)?.[1] ?? key
      const url = /^colophon listening on (\S+)$/.exec(line)?.[1]
      const stop = () => {
        end(child, 'SIGTERM')
        return ended
      }
      if (url !== undefined) resolve({ url, key, stop })
    })
  })
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, signal)
}

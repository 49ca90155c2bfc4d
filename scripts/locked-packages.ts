import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Packages with a lockfile of their own in a folder, which neither users of Colophon nor `npm start` install. */

type Locked = { version?: string; optional?: boolean; devOptional?: boolean; peer?: boolean }

/** The packages of a lockfile; null if there is none. */
export function readLock(path: string): Record<string, Locked> | null {
  if (!existsSync(path)) return null
  return (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> }).packages
}

/** npm writes beside the packages what it installed; all that is not optional must be there as it is locked. */
export function arePackagesInstalled(folder: string, packages = join(folder, 'node_modules')): boolean {
  const wanted = readLock(join(folder, 'package-lock.json')) ?? {}
  const present = readLock(join(packages, '.package-lock.json'))
  if (present === null) return false
  return Object.entries(wanted).every(
    ([path, { version, optional, peer }]) => path === '' || optional || peer || present[path]?.version === version,
  )
}

/** Installs what is locked (npm ci), unless it is there. */
export function installPackages(folder: string, name: string): void {
  if (arePackagesInstalled(folder)) return
  console.error(`Installing ${name} (npm ci) …`)
  const npm = process.env.npm_execpath
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const { status } = spawnSync(command, [...args, 'ci', '--prefix', folder, '--ignore-scripts', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm ci failed for ${name} (see above).`)
}

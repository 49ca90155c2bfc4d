// Installs the products that Colophon is measured beside: node bench/peers/install.ts
// They have their own lockfile, so that neither users of Colophon nor ordinary tests ever install them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname

type Locked = { version?: string; optional?: boolean }

function readLock(path: string): Record<string, Locked> | null {
  if (!existsSync(path)) return null
  return (JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> }).packages
}

/** npm writes beside the packages what it installed; all that is not optional must be there as it is locked. */
export function arePeersInstalled(packages = join(folder, 'node_modules')): boolean {
  const wanted = readLock(join(folder, 'package-lock.json')) ?? {}
  const present = readLock(join(packages, '.package-lock.json'))
  if (present === null) return false
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

export function installPeers(): void {
  if (arePeersInstalled()) return
  console.error('Installing the peers into bench/peers/node_modules (npm ci) …')
  const npm = process.env.npm_execpath
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const { status } = spawnSync(command, [...args, 'ci', '--prefix', folder, '--ignore-scripts', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('npm ci failed in bench/peers (see above): the peers cannot be measured.')
}

/** The version that is locked, for reports. */
export function peerVersion(name: string): string {
  return readLock(join(folder, 'package-lock.json'))?.[`node_modules/${name}`]?.version ?? 'unknown'
}

/** A package of a peer. The caller states the few types it needs: the packages are absent where types are checked. */
export async function importPeer<Module>(specifier: string, packages?: string): Promise<Module> {
  if (!arePeersInstalled(packages)) {
    throw new Error('The peers are not installed. Run "node bench/peers/install.ts" (about 300 MB), then try again.')
  }
  // A variable, so that nothing but Node looks for it; from here Node finds bench/peers/node_modules first.
  return (await import(specifier)) as Module
}

if (import.meta.main) installPeers()

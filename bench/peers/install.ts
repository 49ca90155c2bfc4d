// Installs the products that Colophon is measured beside: node bench/peers/install.ts
// They have their own lockfile, so that neither users of Colophon nor ordinary tests ever install them.
import { join } from 'node:path'
import { arePackagesInstalled, installPackages, readLock } from '../../scripts/locked-packages.ts'

const folder = import.meta.dirname

export function arePeersInstalled(packages?: string): boolean {
  return arePackagesInstalled(folder, packages)
}

export function installPeers(): void {
  installPackages(folder, 'the peers into bench/peers/node_modules')
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

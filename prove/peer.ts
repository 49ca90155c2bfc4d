import { arePeersInstalled, peerVersion } from '../bench/peers/install.ts'

/** The version of a peer that is installed; an error that says how to install it otherwise. */
export function installedPeer(name: string): string {
  if (!arePeersInstalled()) throw new Error('not installed: run "node bench/peers/install.ts"')
  return peerVersion(name)
}

import { arePeersInstalled, peerVersion } from '../bench/peers/install.ts'

/** The installed version of a peer; if there is none, an error that says how to install it. */
export function installedPeer(name: string): string {
  if (!arePeersInstalled()) throw new Error('not installed: run "node bench/peers/install.ts"')
  return peerVersion(name)
}

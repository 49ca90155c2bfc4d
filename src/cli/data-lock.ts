import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A note in the data folder by which a running server says that the folder is in use, and where to reach it. */
type Holder = { readonly pid: number; readonly url: string }

const nameOfLock = 'server.json'

export function holdDataDir(dataDir: string, url: string): () => void {
  const file = join(dataDir, nameOfLock)
  writeFileSync(file, `${JSON.stringify({ pid: process.pid, url } satisfies Holder)}\n`, { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

/** The server that holds the folder, if it is still alive; a note left by a killed one does not count. */
export function holderOf(dataDir: string): Holder | null {
  try {
    const holder = JSON.parse(readFileSync(join(dataDir, nameOfLock), 'utf8')) as Holder
    return holder.pid !== process.pid && isAlive(holder.pid) ? holder : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user may not be signalled, but it is there.
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

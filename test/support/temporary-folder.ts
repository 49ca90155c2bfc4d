import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one test. */
export type TestFolder = { readonly path: string; file(name: string): string; remove(): void }

let processFolder: string | null = null

/**
 * The only use of the system's folder for temporary files. Each process has one folder there and removes it when it
 * ends, with all that its tests left. `npm test` makes a folder for the whole run and sets TMPDIR to it.
 */
function folderOfProcess(): string {
  if (processFolder !== null) return processFolder
  const folder = createTraversableFolder(join(tmpdir(), 'colophon-test-'))
  process.once('exit', () => removeAtExit(folder))
  processFolder = folder
  return folder
}

/** A child process that ends a moment later may still write there; the folder of the run takes what is left with it. */
function removeAtExit(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

/** PostgreSQL runs as another user when the tests run as root, and has to get through to its own folder. */
export function createTraversableFolder(prefix: string): string {
  const folder = mkdtempSync(prefix)
  chmodSync(folder, 0o711)
  return folder
}

export function createFolder(): TestFolder {
  const path = mkdtempSync(join(folderOfProcess(), 'folder-'))
  return { path, file: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) }
}

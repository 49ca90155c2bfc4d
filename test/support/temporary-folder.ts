import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for one test. */
export type TestFolder = { readonly path: string; file(name: string): string; remove(): void }

/**
 * Makes a folder in the system's folder for temporary files; nothing else in the suites does. Other users may pass
 * through it: PostgreSQL runs as another user when the tests run as root, and has to reach its own folder.
 */
export function createTemporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, 0o711)
  return folder
}

let processFolder: string | null = null

/** Each process has one folder and removes it when it ends, with all that its tests left. */
function folderOfProcess(): string {
  if (processFolder !== null) return processFolder
  const folder = createTemporaryFolder('colophon-test-')
  process.once('exit', () => removeAtExit(folder))
  processFolder = folder
  return folder
}

/** A child process that ends a moment later may still write there; the leftovers are removed with the folder of the run. */
function removeAtExit(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {}
}

export function createFolder(): TestFolder {
  const path = mkdtempSync(join(folderOfProcess(), 'folder-'))
  return { path, file: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) }
}

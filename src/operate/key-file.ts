import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Stores a key in a file that only its owner can read, unless the file exists. Of several processes that start together, one creates
 * the file and all use it. The file is linked to its name after its bytes are flushed to disk, so it is never incomplete.
 */
export function makeKeyFile(file: string, key: Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`
  const opened = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(opened, `${Buffer.from(key).toString('base64')}\n`)
    fsyncSync(opened)
    linkSync(draft, file)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  } finally {
    closeSync(opened)
    unlinkSync(draft)
  }
}

export function readKeyFile(file: string): Buffer {
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
}

import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Signer } from '../app/engine.ts'
import { openSignerFile } from './signing-key.ts'

/** What a witness keeps of one log, in a folder: its own key, the key of the log, and the checkpoints that it cosigned. */
export type WitnessState = {
  readonly signer: Signer
  /** The key of the log that the witness trusts; null before the first checkpoint. */
  readonly logKey: string | null
  /** The newest checkpoint that was cosigned; null before the first. */
  readonly checkpoint: string | null
  readonly checkpointFile: string
  keepLogKey(verifierKey: string): void
  /** Keeps a cosigned checkpoint as the newest, and under its size. */
  keepCheckpoint(size: number, note: string): void
  /** Saves a checkpoint that contradicts a kept one, as evidence. Returns its file. */
  saveConflict(size: number, note: string): string
}

const readIfThere = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : null)

export function openWitnessState(folder: string): WitnessState {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keyFile = join(folder, 'log.key')
  const checkpointFile = join(folder, 'checkpoint')
  return {
    signer: openSignerFile(join(folder, 'witness.key')),
    logKey: readIfThere(keyFile)?.trim() ?? null,
    checkpoint: readIfThere(checkpointFile),
    checkpointFile,
    keepLogKey: (verifierKey) => replaceFile(keyFile, `${verifierKey}\n`),
    keepCheckpoint(size, note) {
      replaceFile(join(folder, 'checkpoints', nameOf(size)), note)
      replaceFile(checkpointFile, note)
    },
    saveConflict(size, note) {
      const file = join(folder, 'conflicts', `${nameOf(size)}-${randomBytes(4).toString('hex')}`)
      replaceFile(file, note)
      return file
    },
  }
}

/** The size with leading zeros, so that the files are listed in the order of the log. */
function nameOf(size: number): string {
  return String(size).padStart(15, '0')
}

/** A crash leaves the file as it was or as it becomes, never in between. */
function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  const opened = openSync(draft, 'w', 0o600)
  try {
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(draft, file)
}

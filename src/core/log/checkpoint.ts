import { invalid } from '../errors.ts'
import { type Note, parseNote } from './note.ts'
import type { TreeHead } from './proofs.ts'

/** The head of a log as its signed text says it (C2SP tlog-checkpoint). `origin` names the log. */
export type Checkpoint = TreeHead & { readonly origin: string }

/** The text that is signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`
}

/** Parses a checkpoint with its signatures, without verifying them. Lines after the root are extensions: signed, but not read. */
export function parseCheckpoint(field: string, text: string): Checkpoint & { readonly note: Note } {
  const note = parseNote(field, text)
  const [origin = '', size = '', root = ''] = note.text.split('\n')
  const bytes = Buffer.from(root, 'base64')
  const isHead = /^(0|[1-9]\d{0,14})$/.test(size) && bytes.length === 32 && bytes.toString('base64') === root
  if (origin === '' || !isHead)
    throw invalid(field, 'must be a checkpoint: a line with the origin, one with the size, one with the root in base64')
  return { origin, size: Number(size), root: bytes, note }
}

import { existsSync, readFileSync } from 'node:fs'
import { type Client, isClientError } from '../client/index.ts'
import { type Checkpoint, parseCheckpoint } from '../core/log/checkpoint.ts'
import { type Continuation, continuationOf } from '../core/log/continues.ts'
import {
  cosignNote,
  formatNote,
  formatVerifierKey,
  isNoteSigned,
  type Note,
  type NoteKey,
  parseVerifierKey,
  rawPublicKey,
} from '../core/log/note.ts'
import type { WitnessState } from '../operate/witness-state.ts'
import { CliError, exitCodes } from './exit-codes.ts'

export type WitnessOptions = {
  /** The name of the witness in its cosignatures. */
  readonly name: string
  /** Trusted instead of the kept key of the log. */
  readonly logKey?: string | undefined
  /** Files with checkpoints of other witnesses. */
  readonly compare: readonly string[]
  readonly now: () => number
}

/** What the witness did, for the output. */
export type Witnessed = {
  readonly status: Continuation | 'first'
  readonly origin: string
  readonly size: number
  readonly root: string
  readonly previousSize: number | null
  readonly logKey: string
  readonly witnessKey: string
  readonly file: string
}

type ReadCheckpoint = Checkpoint & { readonly note: Note; readonly text: string }

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/**
 * Reads the checkpoint of a log, verifies its signature and that it continues the kept one, and cosigns it. A log that shows another
 * history is refused: the error names both checkpoints, and the second one is saved beside the kept one.
 */
export async function witnessLog(client: Client, state: WitnessState, options: WitnessOptions): Promise<Witnessed> {
  const keyLine = options.logKey ?? state.logKey ?? (await currentKeyOf(client))
  const key = parseVerifierKey('--log-key', keyLine)
  const newest = readCheckpoint('the checkpoint of the server', await whileBuilding(() => client.log.checkpoint()))
  if (!isSignedBy(newest, key)) throw await unknownKey(client, key)
  const kept = state.checkpoint === null ? null : readCheckpoint(state.checkpointFile, state.checkpoint)
  const status = kept === null ? 'first' : await continues(client, kept, state.checkpointFile, newest, state)
  for (const file of options.compare) await compareWith(client, file, key, newest, state)

  const witness = witnessKeyOf(state, options.name)
  const seconds = Math.floor(options.now() / 1000)
  const cosignature = cosignNote(newest.note.text, witness, seconds, state.signer.sign)
  const own = newest.note.signatures.filter(({ name }) => name !== witness.name)
  state.keepLogKey(keyLine)
  state.keepCheckpoint(newest.size, formatNote({ ...newest.note, signatures: [...own, cosignature] }))
  return {
    status,
    origin: newest.origin,
    size: newest.size,
    root: base64(newest.root),
    previousSize: kept?.size ?? null,
    logKey: formatVerifierKey(key),
    witnessKey: formatVerifierKey(witness),
    file: state.checkpointFile,
  }
}

function witnessKeyOf(state: WitnessState, name: string): NoteKey {
  return { kind: 'witness', name, key: rawPublicKey(state.signer.publicKey) }
}

/** Compares with the checkpoint of another witness. The log has signed it before, so it must be as long by now. */
async function compareWith(
  client: Client,
  file: string,
  key: NoteKey,
  newest: ReadCheckpoint,
  state: WitnessState,
): Promise<void> {
  if (!existsSync(file)) throw new CliError(`There is no file ${file}.`, exitCodes.notFound)
  const other = readCheckpoint(file, readFileSync(file, 'utf8'))
  if (other.origin !== newest.origin)
    throw new CliError(`${file} is a checkpoint of another log: ${other.origin}.`, exitCodes.refused)
  if (!isSignedBy(other, key))
    throw new CliError(`${file} is not signed by the key of the log, ${formatVerifierKey(key)}.`, exitCodes.refused)
  await continues(client, other, file, newest, state)
}

/** How the newest checkpoint follows another one. Throws if it does not. */
async function continues(
  client: Client,
  kept: ReadCheckpoint,
  file: string,
  newest: ReadCheckpoint,
  state: WitnessState,
): Promise<Continuation> {
  if (kept.origin !== newest.origin) throw conflict('shows another log', kept, file, newest, state)
  const proof = kept.size < newest.size ? await readProof(client, kept.size, newest.size) : null
  const status = continuationOf(kept, newest, proof)
  if (status === 'shrunk') throw conflict('became shorter', kept, file, newest, state)
  if (status === 'split') throw conflict('has two histories', kept, file, newest, state)
  return status
}

/** Null if the server refuses to prove it: then there is no proof. A server that cannot be reached is another error. */
async function readProof(client: Client, from: number, to: number): Promise<Uint8Array[] | null> {
  try {
    const { hashes } = await whileBuilding(() => client.log.consistency({ from, to }))
    return hashes.map((hash) => new Uint8Array(Buffer.from(hash, 'base64')))
  } catch (error) {
    if (isClientError(error) && error.status === 400) return null
    throw error
  }
}

function conflict(
  what: string,
  kept: ReadCheckpoint,
  file: string,
  newest: ReadCheckpoint,
  state: WitnessState,
): CliError {
  const saved = state.saveConflict(newest.size, newest.text)
  const lines = [
    `the log ${what}: these two checkpoints contradict each other. Keep both files.`,
    `${describe(kept)} in ${file}`,
    `${describe(newest)} in ${saved}`,
  ]
  return new CliError(lines.join('\n  '), exitCodes.refused)
}

function describe({ origin, size, root }: Checkpoint): string {
  return `${origin} size ${size} root ${base64(root)}`
}

function readCheckpoint(what: string, text: string): ReadCheckpoint {
  return { ...parseCheckpoint(what, text), text }
}

function isSignedBy({ origin, note }: ReadCheckpoint, key: NoteKey): boolean {
  return key.kind === 'log' && key.name === origin && isNoteSigned(note, key)
}

/** Trust on first use: the key that the server signs with now. */
async function currentKeyOf(client: Client): Promise<string> {
  const { keys } = await client.log.keys()
  const current = keys.find(({ isCurrent }) => isCurrent)
  if (current === undefined) throw new CliError('The server has no key for checkpoints.', exitCodes.refused)
  return current.verifierKey
}

async function unknownKey(client: Client, key: NoteKey): Promise<CliError> {
  const lines = [
    'the checkpoint is not signed by the kept key of the log.',
    `kept: ${formatVerifierKey(key)}`,
    `the server signs with: ${await currentKeyOf(client)}`,
    'If its operator confirms that the key was changed, run this again with --log-key and the new key.',
  ]
  return new CliError(lines.join('\n  '), exitCodes.refused)
}

/** How often a request is sent again while the server builds the tree: enough for a hundred million records. */
const buildAttemptsMax = 500
const buildPauseMs = 200

/** Each request builds a part of a long log. */
export async function whileBuilding<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (!isClientError(error) || error.code !== 'log_not_ready' || attempt >= buildAttemptsMax) throw error
      await new Promise((resolve) => setTimeout(resolve, buildPauseMs))
    }
  }
}

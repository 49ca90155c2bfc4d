import { createPublicKey, verify } from 'node:crypto'
import { sha256Bytes } from '../audit/digest.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** Signed notes of C2SP: a text, an empty line, and one line for each signature. */

/** The kinds of Ed25519 keys: `log` signs the text of a note, `witness` signs it together with the time (tlog-cosignature). */
export type NoteKeyKind = 'log' | 'witness'

const algorithms = { log: 0x01, witness: 0x04 } as const

/** A public key of notes. `name` is the origin of a log, or the name of a witness; `key` is 32 bytes. */
export type NoteKey = { readonly kind: NoteKeyKind; readonly name: string; readonly key: Uint8Array }

export type NoteSignature = {
  readonly name: string
  /** Four bytes in hexadecimal, which say which key made it. */
  readonly keyId: string
  readonly value: Uint8Array
}

/** A note: the text that is signed, which ends with a line break, and its signatures. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] }

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The prefix of an Ed25519 public key in SPKI. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The 32 bytes of an Ed25519 public key in SPKI, base64. */
export function rawPublicKey(spki: string): Uint8Array {
  return new Uint8Array(Buffer.from(spki, 'base64').subarray(spkiPrefix.length))
}

function noteKeyId({ kind, name, key }: NoteKey): string {
  const id = sha256Bytes(bytesOf(`${name}\n`), Uint8Array.of(algorithms[kind]), key)
  return Buffer.from(id.subarray(0, 4)).toString('hex')
}

/** A public key as one line, `name+id+key`: the form that Go's note package and other witnesses use. */
export function formatVerifierKey(key: NoteKey): string {
  const bytes = Buffer.concat([Uint8Array.of(algorithms[key.kind]), key.key])
  return `${key.name}+${noteKeyId(key)}+${bytes.toString('base64')}`
}

export function parseVerifierKey(field: string, line: string): NoteKey {
  const parts = /^([^\s+]{1,256})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(line.trim())
  const bytes = Buffer.from(parts?.[3] ?? '', 'base64')
  const kind = bytes[0] === algorithms.log ? 'log' : bytes[0] === algorithms.witness ? 'witness' : null
  if (parts && kind !== null && bytes.length === 33) {
    const key = { kind, name: parts[1] as string, key: new Uint8Array(bytes.subarray(1)) } as const
    if (noteKeyId(key) === parts[2]) return key
  }
  throw invalid(field, 'must be a verifier key NAME+ID+KEY of an Ed25519 key, such as GET log/keys returns')
}

/** Parses a note without verifying its signatures. */
export function parseNote(field: string, note: string): Note {
  const end = note.lastIndexOf('\n\n')
  if (end < 1 || note.length > limits.logNoteCharactersMax || !note.endsWith('\n'))
    throw invalid(field, 'must be a signed note: a text, an empty line, and signatures')
  const lines = note.slice(end + 2, -1).split('\n')
  return { text: note.slice(0, end + 1), signatures: lines.map((line) => parseSignature(field, line)) }
}

function parseSignature(field: string, line: string): NoteSignature {
  const parts = /^— ([^\s+]{1,256}) ([A-Za-z0-9+/]+={0,2})$/.exec(line)
  const bytes = Buffer.from(parts?.[2] ?? '', 'base64')
  if (!parts || bytes.length < 5) throw invalid(field, 'has a line after the empty line that is not a signature')
  const value = new Uint8Array(bytes.subarray(4))
  return { name: parts[1] as string, keyId: bytes.subarray(0, 4).toString('hex'), value }
}

export function formatNote({ text, signatures }: Note): string {
  const lines = signatures.map(({ name, keyId, value }) => {
    const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), value])
    return `— ${name} ${bytes.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

type Sign = (bytes: Uint8Array) => Uint8Array

export function signNote(text: string, key: NoteKey, sign: Sign): NoteSignature {
  return { name: key.name, keyId: noteKeyId(key), value: new Uint8Array(sign(bytesOf(text))) }
}

/** The signature of a witness: eight bytes with the time in seconds, then the signature over time and text. */
export function cosignNote(text: string, key: NoteKey, seconds: number, sign: Sign): NoteSignature {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(seconds))
  const value = Buffer.concat([time, sign(cosignedBytes(text, seconds))])
  return { name: key.name, keyId: noteKeyId(key), value: new Uint8Array(value) }
}

function cosignedBytes(text: string, seconds: number | bigint): Uint8Array {
  return bytesOf(`cosignature/v1\ntime ${seconds}\n${text}`)
}

/** Whether the note has a valid signature of this key. A signature of the key that is not valid makes the note invalid. */
export function isNoteSigned({ text, signatures }: Note, key: NoteKey): boolean {
  const keyId = noteKeyId(key)
  const own = signatures.filter((signature) => signature.name === key.name && signature.keyId === keyId)
  return own.length > 0 && own.every(({ value }) => isSigned(text, key, value))
}

function isSigned(text: string, { kind, key }: NoteKey, value: Uint8Array): boolean {
  try {
    const der = Buffer.concat([spkiPrefix, key])
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    if (kind === 'log') return verify(null, bytesOf(text), publicKey, value)
    const seconds = Buffer.from(value).readBigUInt64BE(0)
    return verify(null, cosignedBytes(text, seconds), publicKey, value.subarray(8))
  } catch {
    return false
  }
}

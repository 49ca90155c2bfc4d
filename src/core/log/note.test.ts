import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { limits } from '../limits.ts'
import { checkpointText, parseCheckpoint } from './checkpoint.ts'
import {
  cosignNote,
  formatNote,
  formatVerifierKey,
  isNoteSigned,
  type NoteKey,
  parseNote,
  parseVerifierKey,
  rawPublicKey,
  signNote,
} from './note.ts'

/** The example of Go's package golang.org/x/mod/sumdb/note. */
const knownKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const knownNote = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`

function newKey(kind: NoteKey['kind'], name: string) {
  const { privateKey } = generateKeyPairSync('ed25519')
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64')
  return { key: { kind, name, key: rawPublicKey(spki) }, sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) }
}

describe('signed notes', () => {
  test('of another program are verified', () => {
    const key = parseVerifierKey('key', knownKey)
    const note = parseNote('note', knownNote)
    assert.equal(formatVerifierKey(key), knownKey)
    assert.equal(formatNote(note), knownNote)
    assert.ok(isNoteSigned(note, key))
    assert.ok(!isNoteSigned({ ...note, text: note.text.replace('answer', 'Answer') }, key))
    assert.ok(!isNoteSigned({ ...note, signatures: [] }, key))
  })

  test('have signatures of the log and of witnesses', () => {
    const log = newKey('log', 'colophon/1')
    const witness = newKey('witness', 'witness.example/w1')
    const text = checkpointText({ origin: 'colophon/1', size: 3, root: new Uint8Array(32) })
    const signed = {
      text,
      signatures: [signNote(text, log.key, log.sign), cosignNote(text, witness.key, 1_700_000_000, witness.sign)],
    }
    const read = parseCheckpoint('checkpoint', formatNote(signed))
    assert.deepEqual([read.origin, read.size, read.root], ['colophon/1', 3, Buffer.alloc(32)])
    assert.ok(isNoteSigned(read.note, log.key))
    assert.ok(isNoteSigned(read.note, witness.key))
    assert.ok(!isNoteSigned(read.note, newKey('log', 'colophon/1').key))
    const later = {
      ...read.note,
      signatures: read.note.signatures.map((line) => ({ ...line, value: withByte(line.value, 7) })),
    }
    assert.ok(!isNoteSigned(later, witness.key), 'the time is signed')
    assert.ok(!isNoteSigned({ ...read.note, text: text.replace('3', '4') }, witness.key))
  })

  test('a second signature under the same key is not ignored', () => {
    const { key, sign: signBytes } = newKey('log', 'colophon/1')
    const good = signNote('a\n', key, signBytes)
    const bad = { ...good, value: withByte(good.value, 0) }
    assert.ok(!isNoteSigned({ text: 'a\n', signatures: [good, bad] }, key))
  })

  test('that are none are refused with the field', () => {
    const notes = [
      '',
      'a',
      'a\n',
      'a\n\n',
      'a\n\nb\n',
      'a\n\n— x\n',
      'a\n\n— x !!!!\n',
      knownNote.trimEnd(),
      `${'a'.repeat(limits.logNoteCharactersMax)}${knownNote}`,
    ]
    for (const note of notes) assert.throws(() => parseNote('checkpoint', note), /checkpoint/, note)
    for (const text of ['o\n3\n', 'o\n-1\nAAAA\n', 'o\n03\nAAAA\n', `o\n3\n${'A'.repeat(40)}\n`])
      assert.throws(() => parseCheckpoint('checkpoint', `${text}\n— x AAAAAAAA\n`), /must be a checkpoint/)
    for (const line of ['', 'a', `${knownKey}A`, knownKey.replace('c7', 'c8'), knownKey.replace('+AR', '+BR')])
      assert.throws(() => parseVerifierKey('key', line), /verifier key/, line)
  })
})

function withByte(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
}

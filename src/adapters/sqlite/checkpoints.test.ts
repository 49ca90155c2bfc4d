import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createScans } from './scans.ts'

function openTexts() {
  const path = `${createFolder().path}/texts.db`
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  db.pragma('wal_autocheckpoint = 0')
  db.exec('create table text (content text)')
  const insert = db.prepare('insert into text values (?)')
  const write = (megabytes: number) =>
    db.transaction(() => {
      for (let n = 0; n < megabytes * 16; n++) insert.run('x'.repeat(65_000))
    })()
  const pages = () => (db.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[])[0]
  return { path, db, write, pages }
}

/** A large text: the length of the log is looked at after the commit. */
const large = 2_000_000

test('the log is copied by the thread, and what was written meanwhile by the event loop', async () => {
  const { db, write, pages } = openTexts()
  const other = new Database(db.name)
  const copied: number[] = []
  let finish = () => {}
  const checkpoints = createCheckpoints(db, {
    async checkpoint() {
      copied.push((other.pragma('wal_checkpoint(passive)') as { log: number }[])[0]?.log ?? 0)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
    },
  })
  write(8)
  checkpoints.noteCommit(large)
  assert.deepEqual(copied, [], 'a short log is left as it is')
  write(10)
  checkpoints.noteCommit(0)
  assert.deepEqual(copied, [], 'the length is not looked at after every commit')
  checkpoints.noteCommit(large)
  assert.equal(copied.length, 1)
  assert.ok((copied[0] ?? 0) > 4_000)
  write(1)
  checkpoints.noteCommit(large)
  assert.equal(copied.length, 1, 'one copy at a time')
  const meanwhile = pages()
  assert.ok(meanwhile && meanwhile.log > meanwhile.checkpointed)
  finish()
  await nextTurn()
  assert.equal(pages()?.checkpointed, meanwhile?.log)
  write(1)
  assert.ok((pages()?.log ?? 0) < 1_000, 'the log begins anew')
})

test('while the log is long, the next commit waits for the copy, but not for long', async () => {
  const { db, write, pages } = openTexts()
  const other = new Database(db.name)
  const finish: (() => void)[] = []
  const thread = {
    async checkpoint() {
      await new Promise<void>((resolve) => finish.push(resolve))
      other.pragma('wal_checkpoint(passive)')
    },
  }
  const finishAll = async () => {
    for (const end of finish.splice(0)) end()
    await nextTurn()
  }
  const impatient = createCheckpoints(db, thread, 0)
  write(18)
  impatient.noteCommit(large)
  assert.equal(impatient.held(), undefined, 'a copy is under way, and the log is short')
  write(16)
  impatient.noteCommit(large)
  await impatient.held()
  assert.equal(finish.length, 1, 'the copy is still under way')
  assert.equal(impatient.held(), undefined)
  await finishAll()

  const patient = createCheckpoints(db, thread, 60_000)
  write(34)
  patient.noteCommit(large)
  patient.noteCommit(large)
  let isOver = false
  const held = patient.held()?.then(() => (isOver = true))
  assert.ok(held, 'the log is long')
  // A commit that was made before the wait: the copy under way does not have its pages.
  const reader = new Database(db.name)
  reader.exec('begin; select count(*) from text')
  write(6)
  await finishAll()
  assert.equal(isOver, false, 'the thread copies what was added, too')
  reader.exec('commit')
  await finishAll()
  await held
  const { log, checkpointed } = pages() ?? {}
  assert.equal(checkpointed, log)
  assert.equal(patient.held(), undefined)
})

test('the thread of the scans copies the log, and a failure of it fails no commit', async () => {
  const { path, db, write, pages } = openTexts()
  const scans = createScans(db, path)
  write(1)
  await scans.checkpoint()
  assert.equal(pages()?.checkpointed, pages()?.log)
  await scans.close()
  const checkpoints = createCheckpoints(db, scans)
  write(20)
  checkpoints.noteCommit(large)
  await nextTurn()
  assert.equal(pages()?.checkpointed, pages()?.log, 'without the thread it is copied here')
  db.close()
  checkpoints.noteCommit(large)
})

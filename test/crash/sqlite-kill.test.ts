import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { openColophon } from '../../src/open.ts'
import { endChildren, startChild } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { acknowledgedBy, checkReadable, checkStored, failuresOf } from './check-stored.ts'
import type { Acknowledged, WriterMessage, WriterOptions } from './messages.ts'

const folder = createFolder()
after(endChildren)
after(() => folder.remove())

const tenant = 'acme'
const rounds = isThorough ? 5 : 3

// Model rule: commit.answered-is-stored
test('a killed process loses no acknowledged write, and stores no half batch', async (t) => {
  const path = folder.file('killed.db')
  const acknowledged: Acknowledged[] = []
  for (let round = 1; round <= rounds; round++) {
    const options: WriterOptions = { open: { path }, name: `round${round}`, tenants: [tenant], writers: 32 }
    const child = startChild<WriterMessage>(new URL('./writer-program.ts', import.meta.url), options)
    const killAfter = 200 + Math.floor(Math.random() * 1_300)
    await child.until(killAfter)
    child.kill('SIGKILL')
    assert.equal((await child.ended).signal, 'SIGKILL')
    assert.deepEqual(failuresOf(child.messages), new Set())
    const fresh = acknowledgedBy(child.messages, tenant)
    acknowledged.push(...fresh)
    t.diagnostic(`round ${round}: killed after ${child.messages.length} writes`)

    await using colophon = await openColophon({ path })
    const memory = colophon.memory(tenant)
    await checkReadable(memory, fresh)
    await checkStored(memory, acknowledged)
    assert.equal(integrityOf(path), 'ok')
  }
})

function integrityOf(path: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('integrity_check', { simple: true })
  } finally {
    db.close()
  }
}

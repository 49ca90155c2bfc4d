import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endChildren } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { dieDistilling } from './distill-kill.ts'

after(endChildren)

test('a distillation whose process dies at any write leaves all or nothing, and is completed once', {
  timeout: 120_000,
}, async () => {
  const folder = createFolder()
  const die = (killAt: number, moment: 'before' | 'after') =>
    dieDistilling(killAt, moment, { path: folder.file(`${killAt}-${moment}.db`) })
  // The lease of the job, and the distillation. After it was stored the job is attempted again, and makes no second archive.
  const deaths = await Promise.all([die(1, 'after'), die(2, 'before'), die(2, 'after')])
  assert.deepEqual(deaths, [true, true, true])
  folder.remove()
})

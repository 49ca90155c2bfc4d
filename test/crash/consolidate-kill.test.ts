import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endChildren } from '../support/child.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { dieAt } from './consolidate-kill.ts'

after(endChildren)

test('a consolidation whose process dies at its first commit leaves all or nothing of it, and is completed', async () => {
  const folder = createFolder()
  // The first write is the lease of the job.
  const deaths = await Promise.all(
    (['before', 'after'] as const).map((moment) => dieAt(2, moment, { path: folder.file(`${moment}.db`) })),
  )
  folder.remove()
  assert.deepEqual(deaths, [true, true])
})

import assert from 'node:assert/strict'
import { type OpenOptions, openColophon } from '../../src/open.ts'
import { startChild } from '../support/child.ts'

const processes = 2

/** Lets two processes open the same new databases in the same moments: both must succeed, and each step is made once. */
export async function checkRace(opens: readonly OpenOptions[]): Promise<void> {
  const startAt = Date.now() + 1_500
  const children = Array.from({ length: processes }, () =>
    startChild<string>(new URL('./opener-program.ts', import.meta.url), { opens, startAt }),
  )
  for (const child of children) {
    const { code, stderr } = await child.ended
    assert.equal(code, 0, stderr)
    assert.deepEqual(
      child.messages,
      opens.map(() => 'opened'),
    )
  }
  for (const options of opens) {
    await using colophon = await openColophon(options)
    const memory = colophon.memory('acme')
    assert.equal((await memory.snapshot()).position, processes)
    assert.equal((await memory.verify({ contents: true })).ok, true)
  }
}

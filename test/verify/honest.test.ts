import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { importPart } from '../../src/app/portable/import.ts'
import { verify } from '../../src/app/verify/verify.ts'
import { verifyContents } from '../../src/app/verify/verify-contents.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { runsOf } from '../property/runs.ts'
import { releaseServer } from '../support/databases.ts'
import { createRandom } from '../support/random.ts'
import { actNames, acts, type Choose, exported, prepare } from './acts.ts'
import { openTampered, type StoreKind } from './stores.ts'

after(releaseServer)

/** Verification of a long history without tampering finds nothing: the records match what is stored, on every store. */
const stores: Record<StoreKind, number> = { model: 10, sqlite: 4, postgres: 2 }

for (const [kind, count] of Object.entries(stores)) {
  test(`${kind}: after random legitimate writes, verification finds nothing`, async () => {
    const histories = fc.tuple(fc.array(fc.constantFrom(...actNames), { minLength: 12, maxLength: 24 }), fc.nat())
    await fc.assert(
      fc.asyncProperty(histories, async ([names, seed]) => {
        const { world, close } = await openTampered(kind as StoreKind)
        try {
          const random = createRandom(seed)
          const choose: Choose = (among) => among[Math.floor(random() * among.length)] as (typeof among)[number]
          await prepare(world)
          await acts.addMessages(world, choose, 100)
          await acts.put(world, choose, 101)
          for (const [n, name] of names.entries()) {
            world.clock.advance(1_000)
            await acts[name](world, choose, n).catch((error: unknown) => {
              // A refusal changes nothing, and that is checked below.
              if (!isColophonError(error) || error.code === 'internal_error') throw error
            })
          }
          const { fault, contents } = await verify(world.tenant, { contents: true })
          assert.deepEqual([fault, contents?.anomalies, contents?.coveredFrom], [undefined, [], 1])
          const inRounds = await verifyContents(world.tenant, 20)
          assert.deepEqual([inRounds.fault, inRounds.contents], [undefined, contents], 'in several rounds, too')
          const file = await exported(world)
          await importPart(world.engine.tenant('globex'), file, { merge: false, actor: 'test' })
          const copy = await verify(world.engine.tenant('globex'), { contents: true })
          assert.deepEqual(copy.contents?.anomalies, [])
        } finally {
          await close()
        }
      }),
      { numRuns: runsOf(count) },
    )
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { createFolder } from '../support/temporary-folder.ts'
import { packInto } from './packed.ts'

/** The package is for ES modules only: what older ways of resolving make of it is not promised. */
const promisedResolutions = ['node16-esm', 'bundler']

// `npm test` compiles a program that imports every entry point (packed.test.ts). This asks each way of resolving, which takes a compiler each.
test('the package has types beside its code, for every entry point', async () => {
  const folder = createFolder()
  const { tarball } = await packInto(folder)
  const checked = await checkPackage(createPackageFromTarballData(Uint8Array.from(tarball)))
  assert.ok('problems' in checked)
  const problems = checked.problems.filter((problem) => {
    const kind = 'resolutionKind' in problem ? problem.resolutionKind : null
    return kind === null || promisedResolutions.includes(kind)
  })
  assert.deepEqual(problems, [])
  folder.remove()
})

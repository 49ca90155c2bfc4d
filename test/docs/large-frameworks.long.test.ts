import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { builtPackage } from '../support/built-package.ts'
import { startServer } from '../support/server.ts'
import { testExamples } from './example-programs.ts'
import { createProject, largeBlocks, runProgram } from './program-blocks.ts'

/** The adapters whose frameworks take long to install, with the real packages: types, examples, and the blocks of their pages. */
describe('large frameworks', () => {
  const root = join(import.meta.dirname, '../..')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')

  test('what an adapter gives is what its framework takes', async () => {
    const ended = await runProgram(process.execPath, [tsc, '--project', 'examples/frameworks-large'], root)
    assert.equal(ended.code, 0, ended.output)
  })

  testExamples(['examples/frameworks-large/*.ts'])

  test('each has a page with a program', () => {
    const pages = largeBlocks.map(({ file }) => file)
    assert.deepEqual(pages.sort(), ['adk-1.mts', 'llamaindex-1.mts', 'strands-1.mts'])
  })

  test('the compiler accepts the programs of their pages, and they run twice', async () => {
    const built = { name: 'dist', path: join(await builtPackage(), 'dist') } as const
    const folder = createProject(built, { isLarge: true })
    for (const block of largeBlocks) writeFileSync(folder.file(block.file), block.code)
    const compilerOptions = { customConditions: [], typeRoots: [join(root, 'node_modules/@types')] }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mts'] }
    writeFileSync(folder.file('tsconfig.json'), JSON.stringify(config))
    const compiled = await runProgram(process.execPath, [tsc, '--project', '.'], folder.path)
    assert.equal(compiled.code, 0, compiled.output)

    await using server = await startServer()
    const env = { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key }
    for (const { file, place } of [...largeBlocks, ...largeBlocks]) {
      const ended = await runProgram(process.execPath, [file], folder.path, env)
      assert.equal(ended.code, 0, `${place}: ${ended.output}`)
    }
    folder.remove()
  })
})

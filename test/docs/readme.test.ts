import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { builtPackage } from '../support/built-package.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { startServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { blocks, createProject, runProgram } from './program-blocks.ts'

/**
 * Every `ts` block of the guides is a program: it must be sound to the compiler, run and end, with `--all` twice in a row in
 * one folder and on one server. `colophon` is the built package, as for its users. The blocks of the README run as in a
 * fresh clone: nothing is built, and `colophon` is the source. A block with a large framework is run by a long test.
 */

const root = join(import.meta.dirname, '../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

after(releaseServer)

test('the README has code that asserts what it shows', () => {
  const code = blocks.filter(({ place }) => place.startsWith('README.md:')).map((block) => block.code)
  for (const name of ['colophon', 'colophon/client'])
    assert.ok(code.some((text) => text.includes(`from '${name}'`) && text.includes('assert.')))
})

const source = { name: 'src', path: join(root, 'src') } as const
let built: { readonly name: 'dist'; readonly path: string }
before(async () => {
  built = { name: 'dist', path: join(await builtPackage(), 'dist') }
})

/** The option with which the README says to run a program. */
const [fromSourceOption = ''] =
  /--conditions=[\w-]+/.exec(readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')) ?? []

test('the compiler accepts every block of the guides', async () => {
  const folder = createProject(built)
  for (const block of blocks) writeFileSync(folder.file(block.file), block.code)
  const compilerOptions = { customConditions: [], typeRoots: [join(root, 'node_modules/@types')] }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mts'] }
  writeFileSync(folder.file('tsconfig.json'), JSON.stringify(config))
  const ended = await runProgram(process.execPath, [tsc, '--project', '.'], folder.path)
  assert.equal(ended.code, 0, `${ended.output}\n${blocks.map(({ file, place }) => `${file} is ${place}`).join('\n')}`)
  folder.remove()
})

for (const block of blocks) {
  test(`${block.place} runs`, async () => {
    const database = block.code.includes('DATABASE_URL') ? await createDatabase() : null
    await using server = block.code.includes('COLOPHON_URL') ? await startServer() : null
    const isReadme = block.place.startsWith('README.md:')
    const folder = createProject(isReadme ? source : built)
    writeFileSync(folder.file(block.file), block.code)
    const env = {
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...(server ? { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key } : {}),
    }
    for (const time of isThorough ? ['first', 'second'] : ['first']) {
      const ended = await runProgram(
        process.execPath,
        [...(isReadme ? [fromSourceOption] : []), block.file],
        folder.path,
        env,
      )
      assert.equal(ended.code, 0, `${block.place}, ${time} time: ${ended.output}`)
    }
    await database?.drop()
    folder.remove()
  })
}

import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { after, before } from 'node:test'
import { builtPackage } from '../support/built-package.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { startServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

/**
 * Every `ts` block of the guides is a program: it must be sound to the compiler, run and end, and do so twice in a row in
 * one folder and on one server. `colophon` is the built package, as for its users. The blocks of the README run as in a
 * fresh clone: nothing is built, and `colophon` is the source.
 */

const root = join(import.meta.dirname, '../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const runMsMax = 60_000

type Block = { readonly place: string; readonly file: string; readonly code: string }

after(releaseServer)

const blocks = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()].flatMap(blocksOf)

function blocksOf(guide: string): Block[] {
  const text = readFileSync(join(root, guide), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((found, index) => ({
    place: `${guide}:${text.slice(0, found.index).split('\n').length}`,
    file: `${basename(guide, '.md')}-${index + 1}.mts`,
    code: found[1] ?? '',
  }))
}

type Ended = { readonly code: ExecFileException['code']; readonly output: string }

function runProgram(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: runMsMax }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? `ended by ${error.signal}`)
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}

test('the README has code that asserts what it shows', () => {
  const code = blocks.filter(({ place }) => place.startsWith('README.md:')).map((block) => block.code)
  for (const name of ['colophon', 'colophon/client'])
    assert.ok(code.some((text) => text.includes(`from '${name}'`) && text.includes('assert.')))
})

/** A folder in which `colophon` is a folder of the clone, as its package.json says, and the packages of the project can be imported. */
function createProject(code: { readonly name: 'src' | 'dist'; readonly path: string }) {
  const folder = createFolder()
  copyFileSync(join(root, 'package.json'), folder.file('package.json'))
  for (const [name, path] of [
    ['node_modules', join(root, 'node_modules')],
    [code.name, code.path],
  ] as const)
    symlinkSync(path, folder.file(name), 'junction')
  return folder
}

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
  test(`${block.place} runs twice`, async () => {
    const database = block.code.includes('DATABASE_URL') ? await createDatabase() : null
    await using server = block.code.includes('COLOPHON_URL') ? await startServer() : null
    const isReadme = block.place.startsWith('README.md:')
    const folder = createProject(isReadme ? source : built)
    writeFileSync(folder.file(block.file), block.code)
    const env = {
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...(server ? { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key } : {}),
    }
    for (const time of ['first', 'second']) {
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

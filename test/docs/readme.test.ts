import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { startServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

/**
 * Every `ts` block of the guides is a program: it must be sound to the compiler, run and end, and do so twice in a row in
 * one folder and on one server. The blocks of the README run as in a fresh clone: nothing is built, and `colophon` is
 * resolved by package.json.
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

/** The package as its users name it, and the source that stands in for it here. */
const packagePaths = {
  colophon: 'src/index.ts',
  'colophon/ai-sdk': 'src/integrations/ai-sdk.ts',
  'colophon/client': 'src/client/index.ts',
  'colophon/langgraph': 'src/integrations/langgraph.ts',
  'colophon/nodes': 'src/nodes/index.ts',
  'colophon/postgres': 'src/adapters/postgres/index.ts',
  'colophon/server': 'src/server/index.ts',
  'colophon/store': 'src/store.ts',
} as const

function fromSource(code: string): string {
  return Object.entries(packagePaths).reduce(
    (text, [name, path]) => text.replaceAll(`from '${name}'`, `from '${pathToFileURL(join(root, path)).href}'`),
    code,
  )
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

/** A folder in which the packages of this project can be imported, as users install them beside ours. */
function createProject() {
  const folder = createFolder()
  symlinkSync(join(root, 'node_modules'), folder.file('node_modules'), 'junction')
  return folder
}

/** What a clone has before anything is built, as far as a program needs it. */
function createClone() {
  const folder = createProject()
  copyFileSync(join(root, 'package.json'), folder.file('package.json'))
  symlinkSync(join(root, 'src'), folder.file('src'), 'junction')
  return folder
}

/** The option with which the README says to run a program. */
const [fromSourceOption = ''] =
  /--conditions=[\w-]+/.exec(readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')) ?? []

test('the compiler accepts every block of the guides', async () => {
  const folder = createProject()
  for (const block of blocks) writeFileSync(folder.file(block.file), block.code)
  const paths = Object.fromEntries(Object.entries(packagePaths).map(([name, path]) => [name, [join(root, path)]]))
  const compilerOptions = { paths, typeRoots: [join(root, 'node_modules/@types')] }
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
    const folder = isReadme ? createClone() : createProject()
    writeFileSync(folder.file(block.file), isReadme ? block.code : fromSource(block.code))
    const env = {
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...(server ? { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key } : {}),
    }
    for (const time of ['first', 'second']) {
      const ended = await runProgram(process.execPath, [fromSourceOption, block.file], folder.path, env)
      assert.equal(ended.code, 0, `${block.place}, ${time} time: ${ended.output}`)
    }
    await database?.drop()
    folder.remove()
  })
}

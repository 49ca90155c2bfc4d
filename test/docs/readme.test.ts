import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { startServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

/** Every `ts` block of the guides is a program: it must be sound to the compiler, run and end. */

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
  'colophon/postgres': 'src/adapters/postgres/index.ts',
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

test('the README shows code, and its first block proves what it shows', () => {
  const [first] = blocks
  assert.match(first?.place ?? '', /^README\.md:/)
  assert.match(first?.code ?? '', /from 'colophon'[\s\S]*assert\./)
})

/** A folder in which the packages of this project can be imported, as users install them beside ours. */
function createProject() {
  const folder = createFolder()
  symlinkSync(join(root, 'node_modules'), folder.file('node_modules'), 'junction')
  return folder
}

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
  test(`${block.place} runs`, async () => {
    const database = block.code.includes('DATABASE_URL') ? await createDatabase() : null
    await using server = block.code.includes('COLOPHON_URL') ? await startServer() : null
    const folder = createProject()
    writeFileSync(folder.file(block.file), fromSource(block.code))
    const env = {
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...(server ? { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key } : {}),
    }
    const ended = await runProgram(process.execPath, [block.file], folder.path, env)
    await database?.drop()
    assert.equal(ended.code, 0, `${block.place}: ${ended.output}`)
    folder.remove()
  })
}

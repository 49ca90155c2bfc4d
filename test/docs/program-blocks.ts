import { type ExecFileException, execFile } from 'node:child_process'
import { copyFileSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createFolder } from '../support/temporary-folder.ts'

/** The `ts` blocks of the README and the guides, and the folders in which they are programs. */

const root = join(import.meta.dirname, '../..')
const runMsMax = 60_000
/** Where the packages of large frameworks are, which only long tests install. */
const largeFolder = join(root, 'examples/frameworks-large')

export type Block = { readonly place: string; readonly file: string; readonly code: string }

const allBlocks = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()].flatMap(blocksOf)

function blocksOf(guide: string): Block[] {
  const text = readFileSync(join(root, guide), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((found, index) => ({
    place: `${guide}:${text.slice(0, found.index).split('\n').length}`,
    file: `${basename(guide, '.md')}-${index + 1}.mts`,
    code: found[1] ?? '',
  }))
}

const { dependencies } = JSON.parse(readFileSync(join(largeFolder, 'package.json'), 'utf8')) as { dependencies: object }

function needsLargeFramework({ code }: Block): boolean {
  return Object.keys(dependencies).some((name) => code.includes(`from '${name}`))
}

/** The blocks that need no package but those of the project, and those that import a large framework. */
export const blocks = allBlocks.filter((block) => !needsLargeFramework(block))
export const largeBlocks = allBlocks.filter(needsLargeFramework)

type Code = { readonly name: 'src' | 'dist'; readonly path: string }

/** A folder in which `colophon` is a folder of the clone, as its package.json says, and the packages of a folder can be imported. */
export function createProject(code: Code, { isLarge = false } = {}) {
  const folder = createFolder()
  copyFileSync(join(root, 'package.json'), folder.file('package.json'))
  for (const [name, path] of [
    ['node_modules', join(isLarge ? largeFolder : root, 'node_modules')],
    [code.name, code.path],
  ] as const)
    symlinkSync(path, folder.file(name), 'junction')
  return folder
}

type Ended = { readonly code: ExecFileException['code']; readonly output: string }

export function runProgram(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: runMsMax }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : (error.code ?? `ended by ${error.signal}`)
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}

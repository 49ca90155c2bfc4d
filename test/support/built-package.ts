import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { createFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '../..')

/** The files of the package that no build makes. */
const writtenFiles = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']

/** The folder of the package as it is published, with the packages of this project. `npm test` as a whole builds it once. */
export async function builtPackage(): Promise<string> {
  const given = process.env.COLOPHON_TEST_PACKAGE
  if (given) return given
  const { path } = createFolder()
  await buildPackage(path)
  return path
}

/** Without a check of types, which is a step of `npm test`. It has a `dist` of its own: other suites read the console in ours. */
export async function buildPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of writtenFiles) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  await promisify(execFile)(process.execPath, ['scripts/build.ts', join(folder, 'dist'), '--no-check'], {
    cwd: root,
    env: { ...process.env, PATH: path },
  })
}

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const gzipBytesMax = 10 * 1_024

describe('the client as it is published', () => {
  const folder = createFolder()
  let files: string[] = []
  before(() => {
    const args = ['--project', 'tsconfig.build.json', '--outDir', folder.path, '--removeComments']
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], { cwd: root })
    files = globSync(join(folder.path, 'src/client/*.js')).sort()
  })
  after(() => folder.remove())

  test('is small: not even minified more than 10 kB, packed', () => {
    const code = files.map((file) => readFileSync(file, 'utf8')).join('')
    const bytes = gzipSync(code, { level: 9 }).length
    assert.ok(files.length >= 10 && bytes <= gzipBytesMax, `${bytes} bytes`)
  })

  test('needs no file but its own', () => {
    for (const file of files) {
      const targets = [...readFileSync(file, 'utf8').matchAll(/from '([^']+)'|import\(/g)].map(([, target]) => target)
      for (const target of targets) assert.match(target ?? '', /^\.\/[a-z-]+\.js$/, file)
    }
  })

  test('works where there is nothing of Node: calls, pages, errors and streams', async () => {
    await using server = await startServer()
    const program = join(import.meta.dirname, 'browser-program.ts')
    const entry = join(folder.path, 'src/client/index.js')
    const args = ['--experimental-vm-modules', '--no-warnings', program, entry, server.url, server.key]
    const { stdout } = await promisify(execFile)(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual(JSON.parse(stdout), {
      globals: ['undefined', 'undefined', 'undefined'],
      listed: ['Two.', 'One.'],
      refused: { code: 'unauthenticated', status: 401 },
      changes: 2,
    })
  })
})

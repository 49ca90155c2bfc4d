import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { type Env, useServer } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

/** Every example is run as it stands, and prints what it says at its end that it prints. */

const root = join(import.meta.dirname, '../..')
const linesMax = 60
const runMsMax = 60_000

function run(file: string, cwd: string, env: Env): Promise<{ failed: boolean; stdout: string; stderr: string }> {
  const options = { cwd, env: cleanEnv({ TMPDIR: cwd, ...env }), timeout: runMsMax }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, file)], options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    )
  })
}

/** The lines under `// Prints:`; in them … stands for what is never the same. */
function promisedOutput(code: string): RegExp[] | null {
  const [, promised] = /^\/\/ Prints:\n((?:\/\/.*\n)+)$/m.exec(code) ?? []
  return (
    promised
      ?.trimEnd()
      .split('\n')
      .map((line) => {
        const parts = line.replace(/^\/\/ ?/, '').split('…')
        return new RegExp(`^${parts.map((part) => part.replace(/[^\w ]/g, '\\$&')).join('.+')}$`)
      }) ?? null
  )
}

/** Tests every example that matches the patterns. */
export function testExamples(patterns: readonly string[]): void {
  const server = useServer()

  for (const file of globSync([...patterns], { cwd: root }).sort()) {
    const code = readFileSync(join(root, file), 'utf8')

    test(`${file} is short, and is in the list`, () => {
      assert.ok(code.split('\n').length - 1 <= linesMax)
      const list = readFileSync(join(root, 'examples/README.md'), 'utf8')
      assert.ok(list.includes(`[${basename(file)}](${file.slice('examples/'.length)})`))
    })

    test(`${file} runs, prints its documented output, and cleans up`, async () => {
      const folder = createFolder()
      const { key } = await server.tenant()
      const { failed, stdout, stderr } = await run(file, folder.path, {
        COLOPHON_URL: server.url,
        COLOPHON_API_KEY: key,
      })
      assert.ok(!failed, `${stdout}${stderr}`)
      assert.notEqual(stdout, '', 'an example shows something')
      const promised = promisedOutput(code)
      if (promised !== null) {
        const lines = stdout.trimEnd().split('\n')
        for (const [index, line] of promised.entries()) assert.match(lines[index] ?? '', line)
        assert.equal(lines.length, promised.length)
      }
      assert.deepEqual(readdirSync(folder.path), [])
      folder.remove()
    })
  }
}

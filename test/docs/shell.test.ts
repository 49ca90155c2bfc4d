import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startServer } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { colophonProgram, shellProgram, startColophonFunction } from './shell-function.ts'

/**
 * Every `sh` block of the guides is run as it stands, by bash, against a real server. The blocks of one guide share a
 * server and a folder and run in order; each has a shell of its own, so it names every variable it uses. If a `text` block
 * follows, it is what the commands print: … stands for anything, and instants and positions are those of another day.
 */

const root = join(import.meta.dirname, '../..')
const documentedUrl = 'http://127.0.0.1:4242'
const runMsMax = 60_000

const hasCurl = spawnSync('curl', ['--version']).status === 0

const colophonFunction = isThorough ? null : await startColophonFunction()
after(() => colophonFunction?.[Symbol.asyncDispose]())

/** Stops at the first command that fails. A machine may have no curl. */
const prelude = [
  'set -eu\n',
  colophonFunction?.definition ?? colophonProgram,
  hasCurl ? '' : shellProgram('curl', join(import.meta.dirname, 'curl-program.ts')),
].join('')

type Block = {
  readonly place: string
  readonly language: string
  readonly code: string
  readonly prints: string | undefined
}

function blocksOf(guide: string): Block[] {
  const text = readFileSync(join(root, guide), 'utf8')
  const blocks = text.matchAll(/^```(\w*)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?/gms)
  return [...blocks].map(({ 1: language = '', 2: code = '', 3: prints, index }) => ({
    place: `${guide}:${text.slice(0, index).split('\n').length}`,
    language,
    code,
    prints,
  }))
}

/** The widths of columns depend on the values, so white space is compared as one space. */
function assertPrints(place: string, output: string, promised: string): void {
  const flat = (text: string) => text.trim().replaceAll(/\s+/g, ' ')
  const parts = flat(promised)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z( \d+)?|(?<=position )\d+/g, '…')
    .split('…')
  const pattern = new RegExp(parts.map((part) => part.replace(/[^\w ]/g, '\\$&')).join('.+?'), 's')
  assert.match(flat(output), pattern, place)
}

function runShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], { cwd, env, timeout: runMsMax }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: `${stdout}${stderr}` }),
    )
  })
}

for (const guide of ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()]) {
  const blocks = blocksOf(guide)
  const commands = blocks.filter(({ language }) => language === 'sh')

  test(`commands of ${guide} are in blocks that are run`, () => {
    for (const { language, place, code } of blocks) {
      if (language === 'sh') continue
      // What a server prints at its start is not a command.
      assert.doesNotMatch(
        code,
        /^(?:curl|colophon) (?!api key|listening|data folder)/m,
        `${place} should be fenced as sh`,
      )
    }
  })

  if (commands.length === 0) continue
  describe(hasCurl ? guide : `${guide}, with a stand-in for curl, which is not installed`, async () => {
    const folder = createFolder()
    const server = await startServer()
    after(async () => {
      await server[Symbol.asyncDispose]()
      folder.remove()
    })
    // Without this, curl calls an answer of 400 a success.
    writeFileSync(folder.file('.curlrc'), 'fail-with-body\nshow-error\n')
    const env = cleanEnv({
      CURL_HOME: folder.path,
      COLOPHON_API_KEY: server.key,
      COLOPHON_OPERATOR_KEY: server.operatorKey,
    })
    for (const { place, code, prints } of commands) {
      test(`${place} runs`, async () => {
        const script = prelude + code.replaceAll(documentedUrl, server.url)
        const { failed, output } = await runShell(script, folder.path, env)
        assert.ok(!failed, `${place}: ${output}`)
        if (prints !== undefined) assertPrints(place, output, prints)
      })
    }
  })
}

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { assertKnownVariables, readDeployFile } from './deploy-files.ts'

const unit = readDeployFile('deploy/systemd/colophon.service')
const run = promisify(execFile)
/** In tenths, on the scale of systemd from 0 (least exposed) to 100. */
const exposureMax = 20

test('the unit starts the packed program, with known variables, and does not restart what a restart cannot help', () => {
  assertKnownVariables(unit)
  const { bin } = JSON.parse(readDeployFile('package.json')) as { bin: { colophon: string } }
  const [, program = ''] = /^ExecStart=\/usr\/bin\/node (\S+) serve$/m.exec(unit) ?? []
  assert.ok(program.endsWith(`/node_modules/colophon/${bin.colophon.replace('./', '')}`))
  assert.match(unit, new RegExp(`^RestartPreventExitStatus=${exitCodes.usage} ${exitCodes.refused}$`, 'm'))
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=yes/m, 'Node cannot run with it')
})

/** The version of systemd's tools that can check a unit without a running systemd; null where there are none. */
async function analyzerVersion(): Promise<number | null> {
  try {
    const { stdout } = await run('systemd-analyze', ['--version'])
    return Number(/^systemd (\d+)/.exec(stdout)?.[1])
  } catch {
    return null
  }
}

test('systemd accepts the unit, and finds it little exposed', async (t) => {
  const version = await analyzerVersion()
  if (version === null || version < 250) return t.skip('systemd-analyze 250 or newer is not installed')
  const path = createFolder().file('colophon.service')
  // The programs of the unit are not on this machine.
  writeFileSync(path, unit.replace(/^ExecStart=\S+ \S+/m, `ExecStart=${process.execPath} ${import.meta.filename}`))
  const { stderr } = await run('systemd-analyze', ['verify', path])
  assert.equal(stderr, '', 'systemd-analyze verify warns')
  await run('systemd-analyze', ['security', '--offline=yes', `--threshold=${exposureMax}`, '--no-pager', path])
})

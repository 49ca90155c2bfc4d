import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { cleanEnv, randomKey } from '../support/server.ts'

const root = join(import.meta.dirname, '../..')

test('a server ends with the npm that started it', { timeout: 60_000 }, async () => {
  // As npm does it: through a shell that does not pass signals on.
  const command = `"${process.execPath}" scripts/bootstrap.mjs src/cli/main.ts serve; true`
  const env = cleanEnv({
    npm_lifecycle_event: 'start',
    COLOPHON_PORT: '0',
    COLOPHON_STORAGE: 'memory',
    COLOPHON_BOOTSTRAP_KEY: randomKey(),
  })
  const shell = spawn('sh', ['-c', command], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let serverPid = 0
  try {
    // The pipe is closed when the last of those who write to it has ended.
    const closed = once(shell.stdout, 'end')
    const lines = createInterface({ input: shell.stdout })
    for await (const line of lines) {
      const { pid = 0 } = line.startsWith('{') ? (JSON.parse(line) as { pid?: number }) : {}
      serverPid ||= pid
      if (/^colophon listening on /.test(line)) break
    }
    assert.ok(serverPid > 0, 'it listens')
    shell.stdout.resume()
    shell.kill('SIGKILL')
    await closed
    assert.throws(() => process.kill(serverPid, 0), { code: 'ESRCH' })
    serverPid = 0
  } finally {
    shell.kill('SIGKILL')
    if (serverPid > 0) process.kill(serverPid, 'SIGKILL')
  }
})

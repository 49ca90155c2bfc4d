import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { randomKey } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'

const root = join(import.meta.dirname, '../..')
const patience = { timeout: 60_000 }

/** As npm does it: through a shell that does not pass signals on. */
async function endsWithIts(t: TestContext, event: string, program: string): Promise<void> {
  const command = `"${process.execPath}" ${program} serve; true`
  const env = cleanEnv({
    npm_lifecycle_event: event,
    COLOPHON_PORT: '0',
    COLOPHON_STORAGE: 'memory',
    COLOPHON_BOOTSTRAP_KEY: randomKey(),
  })
  const shell = spawn('sh', ['-c', command], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  // It leads a group of its own, so whatever is left of it can be ended.
  t.after(() => endGroup(shell.pid ?? 0))
  // Comes when the last of those who write to the pipe has ended.
  const closed = once(shell, 'close')
  const listening = new Promise<void>((resolve) => {
    createInterface({ input: shell.stdout }).on('line', (line) => {
      if (line.startsWith('colophon listening on ')) resolve()
    })
  })
  await Promise.race([listening, closed.then(() => Promise.reject(new Error('It ended before it listened.')))])
  shell.kill('SIGKILL')
  await closed
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error
  }
}

test('a server ends with the npm that started it', patience, (t) =>
  endsWithIts(t, 'start', 'scripts/bootstrap.mjs src/cli/main.ts'),
)

test('a server ends with the npx that started it', patience, (t) => endsWithIts(t, 'npx', 'src/cli/main.ts'))

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../config/config.ts'
import { configFolder } from '../../config/user-folders.ts'
import type { HealthCheck } from '../../operate/doctor.ts'
import { hookLimits } from './hook-limits.ts'

/** A call of a hook that failed: when, which, and a code. Nothing of what was said. */
type Failure = { readonly at: string; readonly assistant: string; readonly event: string; readonly code: string }
type Outcomes = { readonly failures: readonly Failure[]; readonly worked: Readonly<Record<string, string>> }

/** Hooks are silent for the assistant, so this file is where their failures are. */
function outcomesFile(env: Environment = process.env): string {
  return join(configFolder(env), 'hook-failures.json')
}

function readOutcomes(file: string): Outcomes {
  try {
    const { failures, worked } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Outcomes>
    return { failures: Array.isArray(failures) ? failures : [], worked: { ...worked } }
  } catch {
    return { failures: [], worked: {} }
  }
}

export function noteFailure(failure: Failure, file: string = outcomesFile()): void {
  const { failures, worked } = readOutcomes(file)
  write({ failures: [...failures, failure].slice(-hookLimits.failuresKept), worked }, file)
}

/** Only after a failure: otherwise a call that works writes no file. */
export function noteSuccess(assistant: string, at: string, file: string = outcomesFile()): void {
  const { failures, worked } = readOutcomes(file)
  const last = failures.findLast((failure) => failure.assistant === assistant)
  if (last === undefined || (worked[assistant] ?? '') > last.at) return
  write({ failures, worked: { ...worked, [assistant]: at } }, file)
}

/** A file that cannot be written must not disturb the assistant. */
function write(outcomes: Outcomes, file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(outcomes, null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  } catch {}
}

const remedies: Readonly<Record<string, string>> = {
  not_configured: 'log in: colophon login --url URL',
  timed_out: 'check that the server runs and answers within a second: colophon doctor --url URL',
  no_answer: 'check that the server runs: colophon doctor --url URL',
  unauthenticated: 'log in with a valid key: colophon login --url URL',
  forbidden: 'log in with a key that has memory:read and memory:write',
  usage: 'install the hooks again: colophon hooks install ASSISTANT',
  writer_invalid: 'register the writer: colophon writers add NAME',
}

/** One check for each assistant whose hooks failed: `fail` if the last call failed, `warn` if a later one worked. */
export function hookChecks(file: string = outcomesFile()): HealthCheck[] {
  const { failures, worked } = readOutcomes(file)
  return [...new Set(failures.map(({ assistant }) => assistant))].map((assistant): HealthCheck => {
    const all = failures.filter((failure) => failure.assistant === assistant)
    const { at, event, code } = all.at(-1) as Failure
    const isOver = (worked[assistant] ?? '') > at
    return {
      name: 'hooks',
      status: isOver ? 'warn' : 'fail',
      message: `the last failure for ${assistant} is ${code} (${event}, ${at}), one of ${all.length}${isOver ? '; later calls worked' : ''}`,
      todo: isOver ? `delete ${file} to stop this report` : (remedies[code] ?? 'see docs/guides/coding-assistants.md'),
    }
  })
}

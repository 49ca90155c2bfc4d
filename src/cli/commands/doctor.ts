import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { HealthCheck } from '../../operate/doctor.ts'
import { withClient } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { hookChecks } from '../hooks/hook-failures.ts'
import { createOutput, printable } from '../output.ts'
import { reportFailure } from '../report-failure.ts'
import { findServer } from '../server-choice.ts'

type Flags = { url?: string; key?: string; profile?: string; json?: boolean }

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Checks the set-up of a server, and prints what to do about each problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check the set-up and print what to do about each problem; with --url or after a login, check that server',
    )
    .action((_options, command: Command) => reportFailure(() => doctor(command.optsWithGlobals<Flags>())))
}

/** It checks what the other commands would use: the server that is named, that of the profile, or the data folder. */
async function doctor({ json = false, ...choice }: Flags): Promise<void> {
  const server = findServer(choice)
  const checks = [...(server ? await examineRemotely(server) : await examineHere()), ...hookChecks()]
  const worst = (['fail', 'warn'] as const).find((status) => checks.some((check) => check.status === status)) ?? 'ok'
  if (json) createOutput(true).show({ status: worst, checks }, () => '')
  else process.stdout.write(`${describe(checks)}\n`)
  if (worst === 'fail') process.exitCode = exitCodeOf(checks)
}

async function examineHere(): Promise<HealthCheck[]> {
  const { examineLocally } = await import('../doctor/local.ts')
  return examineLocally(Date.now())
}

/** Without a key, the public endpoints are still checked. */
async function examineRemotely({ url, key }: { url: string; key: string | null }): Promise<HealthCheck[]> {
  const { examineServer } = await import('../doctor/remote.ts')
  return withClient({ url, key: key || 'none' }, (client) =>
    examineServer(client, url, { hasKey: Boolean(key), now: Date.now }),
  )
}

/** The exit code of a command that fails for the same reason. */
function exitCodeOf(checks: readonly HealthCheck[]): number {
  const failed = checks.flatMap(({ name, status }) => (status === 'fail' ? [name] : []))
  if (failed.includes('configuration')) return exitCodes.usage
  if (failed.some((name) => ['server', 'database', 'data folder', 'disk'].includes(name))) return exitCodes.unavailable
  return failed.includes('key') ? exitCodes.forbidden : exitCodes.refused
}

/** In colour on a terminal only: styleText checks the stream and NO_COLOR. */
function describe(checks: readonly HealthCheck[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks
    .flatMap(({ name, status, message, todo }) => [
      `${styleText(colours[status], status.padEnd(4))}  ${name.padEnd(width)}  ${printable(message)}`,
      ...(todo === undefined ? [] : [`${' '.repeat(6 + width + 2)}→ ${printable(todo)}`]),
    ])
    .join('\n')
}

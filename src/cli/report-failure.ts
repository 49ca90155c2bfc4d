import { isColophonError } from '../core/errors.ts'
import { CliError, type CliErrorFacts, exitCodes } from './exit-codes.ts'
import { escapeForTerminal } from './output.ts'

/** A failure as standard error shows it: a sentence for people, or with --json one object. */
type ShownFailure = CliErrorFacts & {
  readonly message: string
  /** With the code and the way out in it. */
  readonly said?: string
  readonly exitCode: number
}

let isJson: () => boolean = () => false
let hasUsageError = false

/** Whether failures are printed as JSON: the arguments say so, also where they are wrong. */
export function printFailuresAsJson(asked: () => boolean): void {
  isJson = asked
  hasUsageError = false
}

/** Runs a command without a client. Every failure becomes a message and an exit code. */
export async function reportFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const failure = describe(error)
    process.stderr.write(
      isJson() ? toJson(failure) : `colophon: ${escapeForTerminal(failure.said ?? failure.message)}\n`,
    )
    process.exitCode = failure.exitCode
  }
}

/** What the parser of arguments writes: wrong arguments, or in several parts the help of a command that lacks one. */
export function writeUsageError(text: string): void {
  if (!isJson()) process.stderr.write(text)
  else if (!hasUsageError) {
    const [, usage] = /^Usage: (.*)/.exec(text) ?? []
    const message = usage === undefined ? text.replace(/^error: /, '').trim() : `A command is missing: ${usage}`
    process.stderr.write(toJson({ message: message.replaceAll(/\s+/g, ' '), exitCode: exitCodes.usage }))
    hasUsageError = true
  }
}

function toJson({ code, message, hint, details, exitCode }: ShownFailure): string {
  const error = code ?? codesOfExit[exitCode] ?? 'internal'
  const text = JSON.stringify({ error, message, ...(hint && { hint }), ...(details && { details }), exitCode })
  return `${process.stderr.isTTY ? escapeForTerminal(text) : text}\n`
}

const codesOfExit: Readonly<Record<number, string>> = {
  [exitCodes.usage]: 'usage',
  [exitCodes.notFound]: 'not_found',
  [exitCodes.refused]: 'refused',
  [exitCodes.forbidden]: 'forbidden',
  [exitCodes.unavailable]: 'unavailable',
}

function describe(error: unknown): ShownFailure {
  if (error instanceof CliError) {
    const { exitCode, facts } = error
    return { message: error.message, said: error.message, exitCode, ...facts }
  }
  if (error instanceof Error && error.name === 'ConfigError')
    return { message: error.message, exitCode: exitCodes.usage }
  if (isColophonError(error)) {
    const { kind, code, message, hint, details } = error
    const exitCode = kind === 'unavailable' || kind === 'busy' ? exitCodes.unavailable : exitCodes.refused
    return { message, said: `${code}: ${message} ${hint}`, exitCode, code, hint, details }
  }
  const system = (error as { code?: unknown } | null)?.code
  if (system === 'EADDRINUSE')
    return {
      message: 'the port is in use. Set COLOPHON_PORT to another port, or to 0 for any free port.',
      exitCode: exitCodes.unavailable,
    }
  if (system === 'EACCES' || system === 'EPERM')
    return {
      message: `this user has no permission for ${pathOf(error) ?? 'the port'}.`,
      exitCode: exitCodes.unavailable,
    }
  return { message: error instanceof Error ? error.message : 'internal error', exitCode: exitCodes.internal }
}

/** The path of a failed system call, such as the data folder; null for a port. */
function pathOf(error: unknown): string | null {
  const { path } = error as { path?: unknown }
  return typeof path === 'string' ? path : null
}

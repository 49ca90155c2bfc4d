import { Command } from 'commander'
import { addHookCommand } from './commands/hook.ts'
import { noteFailure } from './hooks/hook-failures.ts'
import { parseNumbers } from './number-options.ts'

/**
 * The program with the command `hook` alone. An assistant waits for it at every turn, so it loads nothing else. A wrong call is silent too:
 * to Claude Code, exit code 2 means that the prompt is refused.
 */
export function createProgram(): Command {
  const program = new Command('colophon')
    .option('--url <url>')
    .option('--key <key>')
    .option('--profile <name>')
    .configureOutput({ outputError: () => {} })
    .exitOverride(({ exitCode }) => {
      if (exitCode !== 0)
        noteFailure({ at: new Date().toISOString(), assistant: 'an assistant', event: 'event', code: 'usage' })
      process.exit(0)
    })
  addHookCommand(program)
  parseNumbers(program)
  return program
}

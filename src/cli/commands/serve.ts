import type { Command } from 'commander'
import { loadConfig, showConfig } from '../../config/config.ts'
import { createOutput, type Output } from '../output.ts'
import { reportFailure } from '../report-failure.ts'
import { serve } from '../serve.ts'

/** serve, config show. */
export function addServeCommands(program: Command): void {
  program.command('serve').description('run the server').action(serve)
  program
    .command('config')
    .description('the configuration')
    .command('show')
    .description('print the effective configuration, with secrets masked')
    .action((_options, command: Command) => reportFailure(() => showConfiguration(command)))
}

async function showConfiguration(command: Command): Promise<void> {
  const shown = showConfig(loadConfig(process.env))
  const line = ([name, value]: [string, unknown]) => `${name}=${Array.isArray(value) ? value.join(',') : (value ?? '')}`
  outputOf(command).show(shown, () => Object.entries(shown).map(line).join('\n'))
}

function outputOf(command: Command): Output {
  return createOutput(command.optsWithGlobals<{ json?: boolean }>().json === true)
}

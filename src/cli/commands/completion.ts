import { Argument, type Command } from 'commander'
import { completionScript, type Shell, shells } from '../completion.ts'

/** completion: a script for the shell of the user. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)))
}

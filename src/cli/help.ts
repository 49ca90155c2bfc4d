import type { Command } from 'commander'

/** What `colophon --help` shows, in this order. The first group is what a newcomer needs. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Start here:': ['serve', 'demo', 'doctor', 'put', 'list', 'search', 'add', 'memories', 'trace', 'mcp'],
  'Memory:': ['get', 'revise', 'delete', 'refs', 'retrieve', 'compact', 'compactions', 'forget', 'export', 'import'],
  'Who told it:': ['writers', 'sources', 'claims'],
  'Workflows:': ['workflows', 'runs', 'agents'],
  'Access and secrets:': ['keys', 'tenants', 'secrets', 'vault', 'redact', 'audit'],
  'Running it:': ['stats', 'jobs', 'embeddings', 'schedules', 'backup', 'restore', 'copy', 'migrate', 'config'],
}

const footer = `
Commands work on the data folder, or on a server with --url. "colophon help <command>" says more.
Exit codes: 0 it worked, 1 a fault, 2 a wrong call, 3 not there, 4 refused, 5 not allowed, 6 not reachable.`

/** Sorts the commands into groups. A command that no group names stands first, under "Commands:", where a test finds it. */
export function groupCommands(program: Command): void {
  const order = Object.values(groups).flat()
  for (const [group, names] of Object.entries(groups)) {
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(group)
  }
  // Help shows groups and commands in the order in which they stand in this list.
  const commands = program.commands as Command[]
  commands.sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()))
  program.commandsGroup('Running it:').helpCommand('help [command]', 'say more about a command')
  program.addHelpText('after', footer)
}

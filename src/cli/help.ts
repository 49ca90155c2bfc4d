import type { Command } from 'commander'

/** The groups of `colophon --help`, in this order. The first group is for a new user. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Start here:': ['serve', 'demo', 'doctor', 'put', 'list', 'search', 'add', 'memories', 'trace', 'mcp'],
  'Memory:': [
    'find',
    'get',
    'revise',
    'delete',
    'refs',
    'retrieve',
    'compact',
    'compactions',
    'consolidate',
    'distill',
    'distillations',
    'commitments',
    'heartbeats',
    'forget',
    'contain',
    'export',
    'import',
    'hooks',
  ],
  'Provenance:': ['writers', 'sources', 'claims', 'quarantine'],
  'Workflows:': ['workflows', 'runs', 'agents', 'workspace'],
  'Access and secrets:': [
    'login',
    'logout',
    'profiles',
    'keys',
    'tenants',
    'secrets',
    'vault',
    'redact',
    'audit',
    'witness',
  ],
  'Operation:': [
    'stats',
    'jobs',
    'embeddings',
    'schedules',
    'backup',
    'restore',
    'copy',
    'migrate',
    'config',
    'completion',
    'hook',
  ],
}

const footer = `
A command opens the data folder, or calls a server: with --url, or after colophon login. For details: colophon help <command>

Exit codes:
  0  ok
  1  internal error
  2  usage: wrong arguments or configuration
  3  not found
  4  refused
  5  forbidden: the key is invalid or lacks a scope
  6  unavailable: rate limited, overloaded or not reachable; retry later`

/** Sorts the commands into groups. A command without a group comes first, under "Commands:", and a test fails. */
export function groupCommands(program: Command): void {
  const order = Object.values(groups).flat()
  for (const [group, names] of Object.entries(groups)) {
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(group)
  }
  // Help shows groups and commands in the order of this list.
  const commands = program.commands as Command[]
  commands.sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()))
  program.commandsGroup('Operation:').helpCommand('help [command]', 'show help for a command')
  program.addHelpText('after', footer)
}

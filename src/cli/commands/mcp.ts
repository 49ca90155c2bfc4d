import { type Command, Option } from 'commander'
import { createClient } from '../../client/index.ts'
import { packageVersion } from '../../config/package-version.ts'
import { openConnection } from '../connection.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { reportFailure } from '../report-failure.ts'

type McpOptions = {
  ref?: string
  subject?: string
  readers?: string
  service?: string
  tools?: 'all' | 'server-memory'
  url?: string
  key?: string
  tenant?: string
}

/** mcp: for desktop and editor clients, which start this program themselves. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve MCP on standard input and output, for desktop and editor clients')
    .option('--ref <ref>', 'give access to this memoryRef only')
    .option('--subject <subject>', 'give access to the memories about this person only')
    .option('--readers <ids>', 'who may read what is stored, separated by commas; without this, everyone in the tenant')
    .option('--service <name>', 'the writer of what is stored; by default that of the key, or the name of the client')
    .addOption(
      new Option(
        '--tools <set>',
        'all: also distill, consolidate, run schedules and agents; server-memory: those of the MCP reference memory server instead of our own',
      ).choices(['all', 'server-memory']),
    )
    .action((_options: unknown, command: Command) =>
      reportFailure(async () => {
        const { ref, subject, readers, service, tools, ...options } = command.optsWithGlobals<McpOptions>()
        if (ref !== undefined && subject !== undefined)
          throw new CliError('Use --ref or --subject, not both.', exitCodes.usage)
        if (subject !== undefined && tools === 'server-memory')
          throw new CliError(
            'Use --tools server-memory or --subject, not both: a knowledge graph has a memoryRef.',
            exitCodes.usage,
          )
        const { close, ...connection } = await openConnection({ ...options, creates: true })
        try {
          const [{ serveMcpOnStdio }, { toBoundRef: toBound }] = await Promise.all([
            import('../../mcp/stdio.ts'),
            import('../../mcp/bound-ref.ts'),
          ])
          const client = createClient({ ...connection, wire: 'auto' })
          const bound = toBound({ ref, subject, readers })
          await serveMcpOnStdio({ client, bound, version: packageVersion, service, tools })
        } finally {
          await close()
        }
      }),
    )
}

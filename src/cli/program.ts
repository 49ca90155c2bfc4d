import { Command } from 'commander'
import { packageVersion } from '../package-version.ts'
import { addAdminCommands } from './commands/admin.ts'
import { addAgentCommands } from './commands/agents.ts'
import { addMemoryCommands } from './commands/memory.ts'
import { addRunCommands } from './commands/runs.ts'
import { addServeCommands } from './commands/serve.ts'
import { addVaultCommands } from './commands/vault.ts'
import { addWorkflowCommands } from './commands/workflows.ts'

const program = new Command('colophon')
  .description('The memory server for AI agents in which every memory carries its provenance.')
  .version(packageVersion)
  .option('--url <url>', 'a running server; without it the data folder is used directly (also: COLOPHON_URL)')
  .option('--key <key>', 'the API key for --url (also: COLOPHON_API_KEY)')
  .option('--tenant <tenant>', 'the tenant, when the data folder is used directly', 'default')
  .option('--json', 'print JSON')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

addServeCommands(program)
addMemoryCommands(program)
addAdminCommands(program)
addVaultCommands(program)
addAgentCommands(program)
addWorkflowCommands(program)
addRunCommands(program)
await program.parseAsync()

import { Command } from 'commander'
import { packageVersion } from '../config/package-version.ts'
import { addAddCommand } from './commands/add.ts'
import { addAgentCommands } from './commands/agents.ts'
import { addAuditCommand } from './commands/audit.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addClaimCommands } from './commands/claims.ts'
import { addCommitmentCommands } from './commands/commitments.ts'
import { addCompactionCommands } from './commands/compactions.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConsolidateCommand } from './commands/consolidate.ts'
import { addContainCommands } from './commands/contain.ts'
import { addCopyCommand } from './commands/copy.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDistillationCommands } from './commands/distillations.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEmbeddingsCommands } from './commands/embeddings.ts'
import { addEntryCommands } from './commands/entries.ts'
import { addFindCommand } from './commands/find.ts'
import { addForgetCommands } from './commands/forget.ts'
import { addHeartbeatCommands } from './commands/heartbeats.ts'
import { addHookCommand } from './commands/hook.ts'
import { addHooksCommands } from './commands/hooks.ts'
import { addJobCommands } from './commands/jobs.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addLoginCommands } from './commands/login.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addMemoriesCommands } from './commands/memories.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addPortableCommands } from './commands/portable.ts'
import { addQuarantineCommands } from './commands/quarantine.ts'
import { addRunCommands } from './commands/runs.ts'
import { addScheduleCommands } from './commands/schedules.ts'
import { addSecretCommands } from './commands/secrets.ts'
import { addServeCommands } from './commands/serve.ts'
import { addSourceCommands } from './commands/sources.ts'
import { addStatsCommand } from './commands/stats.ts'
import { addTenantCommands } from './commands/tenants.ts'
import { addTraceCommand } from './commands/trace.ts'
import { addVaultCommands } from './commands/vault.ts'
import { addWitnessCommand } from './commands/witness.ts'
import { addWorkflowCommands } from './commands/workflows.ts'
import { addWorkspaceCommands } from './commands/workspace.ts'
import { addWriterCommands } from './commands/writers.ts'
import { addExamples } from './examples.ts'
import { groupCommands } from './help.ts'
import { parseNumbers } from './number-options.ts'
import { printFailuresAsJson, writeUsageError } from './report-failure.ts'

/** The whole command line, without parsing arguments. The documentation is generated from it. */
export function createProgram(): Command {
  const program = new Command('colophon')
    .description('A memory server for AI agents: every memory has a source, and every past state can be read.')
    .version(packageVersion)
    .option('--url <url>', 'the URL of a running server; without it, the data folder is opened (also: COLOPHON_URL)')
    .option(
      '--key <key>',
      'the API key for --url; without one, the key that `colophon login` stored for the same URL (also: COLOPHON_API_KEY, COLOPHON_API_KEY_FILE)',
    )
    .option('--profile <name>', 'the server and key that `colophon login` stored (also: COLOPHON_PROFILE)')
    .option('--tenant <tenant>', 'the tenant, when the data folder is opened', 'default')
    .option('--reader <id>', 'make the request for this reader: what it cannot see is not there')
    .option('--json', 'print JSON; an error too, as one object on standard error')
    .configureOutput({ writeErr: writeUsageError })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

  printFailuresAsJson(() => isJsonAsked((program as unknown as { rawArgs?: readonly string[] }).rawArgs ?? []))
  addServeCommands(program)
  addMigrateCommand(program)
  addEntryCommands(program)
  addTenantCommands(program)
  addJobCommands(program)
  addSecretCommands(program)
  addAuditCommand(program)
  addWitnessCommand(program)
  addKeyCommands(program)
  addLoginCommands(program)
  addVaultCommands(program)
  addBackupCommands(program)
  addCopyCommand(program)
  addAgentCommands(program)
  addAddCommand(program)
  addMemoriesCommands(program)
  addTraceCommand(program)
  addStatsCommand(program)
  addWriterCommands(program)
  addClaimCommands(program)
  addQuarantineCommands(program)
  addCompactionCommands(program)
  addConsolidateCommand(program)
  addDistillationCommands(program)
  addSourceCommands(program)
  addFindCommand(program)
  addForgetCommands(program)
  addContainCommands(program)
  addCompletionCommand(program)
  addScheduleCommands(program)
  addCommitmentCommands(program)
  addHeartbeatCommands(program)
  addWorkflowCommands(program)
  addRunCommands(program)
  addMcpCommand(program)
  addHooksCommands(program)
  addHookCommand(program)
  addPortableCommands(program)
  addDemoCommand(program)
  addDoctorCommand(program)
  addEmbeddingsCommands(program)
  addWorkspaceCommands(program)
  groupCommands(program)
  addExamples(program)
  parseNumbers(program)
  return program
}

/** Before the arguments are parsed, and where they cannot be: what follows `--` is text. */
function isJsonAsked(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { AgentInventoryEntry, AgentManifest } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { memberTable, printable, table } from '../output.ts'
import { noteUnfinishedRun, waitForRun } from '../run-outcome.ts'

/** agents list, show, add, run, remove. */
export function addAgentCommands(program: Command): void {
  const agents = program.command('agents').description('agents of the tenant')
  agents
    .command('list')
    .description('list agents, with the capabilities that this host lacks for them')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.agents.list()
        const rows = answer.agents.map((agent) => [agent.agentId, agent.persona, agent.modelClass, missing(agent)])
        output.show(answer, () => table(['agent', 'persona', 'model', 'missing capabilities'], rows))
      }),
    )
  agents
    .command('show <id>')
    .description('show one agent')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const agent = await client.agents.get(id)
        output.show(agent, () => memberTable(agent))
      }),
    )
  agents
    .command('add <file>')
    .description('install an agent from its manifest, or replace it')
    .action(
      action(async ({ client, output }, [file = '']) => {
        const agent = await client.agents.put(readDocument(file) as AgentManifest)
        const lacks = missing(agent)
        output.show(agent, () =>
          printable(`${agent.agentId} is installed${lacks ? `; missing capabilities: ${lacks}` : ''}`),
        )
      }),
    )
  agents
    .command('run <id> <task>')
    .description('run an agent with a task, and print its result')
    .option('--ref <ref>', 'the ref of its memory; by default its own')
    .action(
      action<{ ref?: string }>(async ({ client, output, isEmbedded }, [agentId = '', task = ''], { ref }) => {
        const inputs = { task, ...(ref === undefined ? {} : { memoryRef: ref }) }
        const { runId } = await client.runs.create({ agentId, inputs })
        const run = await waitForRun(client, runId)
        noteUnfinishedRun(run, isEmbedded)
        output.show(run, () => (run.status === 'completed' ? printable(JSON.stringify(run.variables.result)) : runId))
      }),
    )
  agents
    .command('remove <id>')
    .description('remove an agent')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.agents.delete(id)
        output.show(answer, () => (answer.deleted ? 'removed' : 'not found'))
      }),
    )
}

function missing({ degraded = [], degradedMemoryDimensions = [] }: AgentInventoryEntry): string {
  return [...degraded, ...degradedMemoryDimensions.map((dimension) => `memory: ${dimension}`)].join(', ')
}

function readDocument(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new CliError(`${file} cannot be read.`, exitCodes.usage)
  }
  try {
    const document = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
    if (document !== null && typeof document === 'object') return document
  } catch {
    // The message of the parser quotes the text, so it is not shown.
  }
  throw new CliError(`${file} is not a JSON object.`, exitCodes.usage)
}

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { CliError, exitCodes } from '../exit-codes.ts'
import { printable, table } from '../output.ts'
import { action } from '../run.ts'

const host = '/v1/host/colophon'

type Agent = {
  agentId: string
  persona: string
  modelClass: string
  degraded?: string[]
  degradedMemoryDimensions?: string[]
}

/** agents list, show, add, remove. */
export function addAgentCommands(program: Command): void {
  const agents = program.command('agents').description('agents of the tenant')
  agents.command('list').action(
    action(async ({ caller, output }) => {
      const answer = (await caller.call('GET', `${host}/agents`)) as { agents: Agent[] }
      const rows = answer.agents.map((agent) => [agent.agentId, agent.persona, agent.modelClass, missing(agent)])
      output.show(answer, () => table(['agent', 'persona', 'model', 'missing here'], rows))
    }),
  )
  agents.command('show <id>').action(
    action(async ({ caller, output }, [id = '']) => {
      const agent = (await caller.call('GET', `/v1/agents/${encodeURIComponent(id)}`)) as Agent
      const rows = Object.entries(agent).map(([name, value]) => [name, asText(value)])
      output.show(agent, () => table(['member', 'value'], rows))
    }),
  )
  agents
    .command('add <file>')
    .description('install an agent from its manifest, or change it')
    .action(
      action(async ({ caller, output }, [file = '']) => {
        const agent = (await caller.call('POST', `${host}/agents`, readDocument(file))) as Agent
        const lacks = missing(agent)
        output.show(agent, () => printable(`${agent.agentId} is installed${lacks ? `; missing here: ${lacks}` : ''}`))
      }),
    )
  agents.command('remove <id>').action(
    action(async ({ caller, output }, [id = '']) => {
      const answer = (await caller.call('DELETE', `${host}/agents/${encodeURIComponent(id)}`)) as { deleted: boolean }
      output.show(answer, () => (answer.deleted ? 'removed' : 'nothing there'))
    }),
  )
}

function missing({ degraded = [], degradedMemoryDimensions = [] }: Agent): string {
  return [...degraded, ...degradedMemoryDimensions.map((dimension) => `memory: ${dimension}`)].join(', ')
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
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
    // The parser's own message quotes the text.
  }
  throw new CliError(`${file} does not hold a JSON object.`, exitCodes.usage)
}

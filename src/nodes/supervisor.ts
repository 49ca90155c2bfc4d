import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { currentWorkflow } from '../app/runs/workflow-registry.ts'
import type { ClassedEntry } from '../core/entries/entry.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { checkDecision, type Decision } from '../core/workflow/decision.ts'
import {
  checkSupervisorConfig,
  type DecisionRule,
  decideByRules,
  type SupervisorRead,
} from '../core/workflow/decision-rules.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import { supervisorTypeId } from '../core/workflow/loop.ts'
import { type RunValues, resolveTemplates } from '../core/workflow/template.ts'
import { defineNodeType } from './define-node-type.ts'
import { maxTokensMember } from './model-answer.ts'
import { decideByModel, type SupervisorReads } from './supervisor-model.ts'
import { decided } from './supervisor-result.ts'

export const supervisor = defineNodeType({
  typeId: supervisorTypeId,
  description:
    'Decides, by rules or with a model, which workflows run next, what a person is asked, or that the loop ends.',
  config: {
    rules: { description: 'a list of {when, decide}: the first rule whose conditions are all true decides' },
    prompt: {
      description: 'instead of rules: the instructions of the model that decides, after those of the agent of the node',
    },
    workers: { description: 'instead of rules: the ids of the workflows that the model may run' },
    maxTokens: maxTokensMember,
    memory: {
      description: 'reads by name that the conditions use, and that the model sees: {memoryRef, tag, query, limit}',
    },
    iterationCap: { description: 'the largest number of decisions in a run' },
  },
  hasLenientConfig: true,
  replay: 'reads',
  rawConfig: ['rules', 'memory', 'workers'],
  checkConfig: checkSupervisorConfig,
  acceptsErased: true,
  async execute(request: HostNodeRequest) {
    const { node, scope, turn } = request
    const found = await readMemory(request)
    if (node.config.rules === undefined) return decideByModel(request, found)
    const memory = Object.fromEntries(Object.entries(found).map(([name, entries]) => [name, toFound(entries)]))
    const values = { ...scope, outputs: { ...scope.outputs, [node.id]: { turn, memory } } }
    const rule = decideByRules(node.config.rules as readonly DecisionRule[], values, node.id)
    if (rule === null) return noRule
    const decision = fill(rule, values)
    return decided(request, { decision, shown: await shownOf(request, rule, decision) })
  },
})

const noRule: NodeResult = {
  kind: 'failed',
  error: { code: 'no_decision', message: 'No rule of the supervisor applies: add one without conditions at the end.' },
}

/** What conditions can use of a read. */
function toFound(entries: readonly ClassedEntry[]): { readonly count: number; readonly newest: string | null } {
  return { count: entries.length, newest: entries[0]?.content ?? null }
}

/** What the reads of the config found, in the order of the config. The text of memory is used in conditions and prompts, never in events. */
async function readMemory(request: HostNodeRequest): Promise<SupervisorReads> {
  const { node, scope, memory } = request
  const reads = resolveTemplates(node.config.memory ?? {}, scope) as Record<string, SupervisorRead>
  refuseErased(reads)
  const found: Record<string, readonly ClassedEntry[]> = {}
  for (const [name, { memoryRef = node.agent?.memoryRef, query, ...options }] of Object.entries(reads)) {
    if (memoryRef === undefined)
      throw invalid(`memory.${name}.memoryRef`, 'must be given here or by the agent of the node')
    found[name] =
      query === undefined
        ? await memory.list(memoryRef, options)
        : (await memory.search(memoryRef, query, options)).map(({ entry }) => entry)
  }
  return found
}

/** The decision with its templates replaced. */
function fill(rule: Decision, values: RunValues): Decision {
  const decision = resolveTemplates(rule, values)
  refuseErased(decision)
  checkDecision('decide', decision)
  const max = limits.decisionCharactersMax
  if (JSON.stringify(decision).length > max)
    throw invalid('decide', `must have at most ${max} characters`, { limit: 'decisionCharactersMax', max })
  return decision
}

/**
 * The decision as its event shows it: with the texts of the workflow, because values may hold memory. A worker is shown by its id if that is
 * one of a registered workflow; any other value stays the template that it came from.
 */
async function shownOf({ tenant }: HostNodeRequest, rule: Decision, decision: Decision): Promise<Decision> {
  if (rule.kind !== 'next-worker' || decision.kind !== 'next-worker') return rule
  const nextWorkerIds: string[] = []
  for (const [index, written] of rule.nextWorkerIds.entries()) {
    const id = decision.nextWorkerIds[index] ?? written
    nextWorkerIds.push(id === written || (await currentWorkflow(tenant, id)) !== null ? id : written)
  }
  return { ...rule, nextWorkerIds }
}

import { invalid } from '../errors.ts'
import { checkCondition, type EdgeCondition, evaluateCondition } from './condition.ts'
import { checkDecision, type Decision } from './decision.ts'
import { newPatternBudget } from './pattern.ts'
import { closed, count, list, mapOf, openObject, text } from './shape-checks.ts'
import type { RunValues } from './value-path.ts'
import { workflowLimits } from './workflow-limits.ts'

/** One rule of a supervisor: its decision, when all its conditions are true. A rule without conditions always applies. */
export type DecisionRule = { readonly when?: readonly EdgeCondition[]; readonly decide: Decision }

/** A memory read that a supervisor makes before it decides. */
export type SupervisorRead = {
  readonly memoryRef?: string
  readonly tag?: string
  readonly query?: string
  readonly limit?: number
}

const conditions = list(checkCondition, 'ruleConditionsMax')

const rule = closed({ decide: checkDecision }, { when: conditions })

/** Checks the rules of a supervisor at registration. The regex patterns of all rules count together. */
function checkRules(field: string, rules: unknown): void {
  list(rule, 'supervisorRulesMax', 1)(field, rules)
  const patterns = (rules as readonly DecisionRule[]).flatMap(({ when = [] }) => when).filter(isPattern)
  const max = workflowLimits.regexConditionsMax
  if (patterns.length > max)
    throw invalid(field, `must have at most ${max} regex conditions`, { limit: 'regexConditionsMax', max })
}

function isPattern({ type }: EdgeCondition): boolean {
  return type === 'regex'
}

/** Checks the memory reads of a supervisor at registration. */
const checkReads = mapOf(
  closed(
    {},
    {
      memoryRef: text('agentMemoryRefCharactersMax'),
      tag: text('nameCharactersMax'),
      query: text('conditionLeftCharactersMax'),
      limit: count(1, 100),
    },
  ),
  'supervisorReadsMax',
)

const checkPrompt = text('supervisorPromptCharactersMax')
const checkWorkers = list(text('workerIdCharactersMax'), 'decisionWorkersMax')

/** Without a prompt, the manifest of the agent has it. */
function checkModelConfig(field: string, { prompt, workers = [] }: Readonly<Record<string, unknown>>): void {
  if (prompt !== undefined) checkPrompt(`${field}.prompt`, prompt)
  checkWorkers(`${field}.workers`, workers)
}

/** Checks the config of a supervisor at registration. */
export function checkSupervisorConfig(config: Readonly<Record<string, unknown>>, field: string): void {
  openObject(field, config)
  const { rules, prompt, workers, memory, iterationCap } = config
  if (rules !== undefined && prompt !== undefined)
    throw invalid(`${field}.prompt`, 'must not be given with rules: a supervisor decides by rules or with a model')
  if (rules !== undefined || (prompt === undefined && workers === undefined)) checkRules(`${field}.rules`, rules)
  else checkModelConfig(field, config)
  if (memory !== undefined) checkReads(`${field}.memory`, memory)
  if (iterationCap !== undefined) count(1)(`${field}.iterationCap`, iterationCap)
}

/**
 * The decision of the first rule whose conditions are all true; null when none applies. `output.` paths in conditions read what the
 * supervisor knows of this turn: `output.turn`, and `output.memory.<name>.count` and `.newest`.
 */
export function decideByRules(
  rules: readonly DecisionRule[],
  values: RunValues,
  supervisorId: string,
): Decision | null {
  const budget = newPatternBudget()
  const applies = ({ when = [] }: DecisionRule) =>
    when.every((condition) => evaluateCondition(condition, values, supervisorId, budget))
  return rules.find(applies)?.decide ?? null
}

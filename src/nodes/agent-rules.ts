import { schemaProblem } from '../core/agents/handoff.ts'
import { answerByRules, textToRemember } from '../core/agents/rules-agent.ts'
import { limits } from '../core/limits.ts'
import { type AgentOutcome, type AgentStep, emitReasoning } from './agent-step.ts'
import { recordedCall } from './agent-tool-call.ts'

/** The agent of a host without a model: see `core/agents/rules-agent.ts`. */
export async function actByRules(step: AgentStep): Promise<AgentOutcome> {
  const remembered = textToRemember(step.question)
  return remembered === null ? answer(step) : remember(step, remembered)
}

async function answer(step: AgentStep): Promise<AgentOutcome> {
  const { world, question, agent } = step
  const { memoryRef, selection, tokenBudget } = world
  const query = question.slice(0, limits.queryCharactersMax)
  const hits = memoryRef === null ? [] : await world.memory.search(memoryRef, query, { ...selection, tokenBudget })
  const {
    kind,
    answer: text,
    confidence,
    source,
  } = answerByRules(
    question,
    hits.map(({ entry }) => entry),
  )
  emitReasoning(
    step,
    `By rules: ${hits.length} memories found, ${source === null ? 'none fits' : `${source} fits best`}.`,
  )
  const sources = source === null ? [] : [source]
  return {
    result: fitting(agent.returnSchema, { answer: text, confidence, sources }, text),
    confidence,
    decision: { kind, sources },
  }
}

/** A plain agent gives the answer with its sources. A schema may want the text alone. */
function fitting(schema: AgentStep['agent']['returnSchema'], whole: unknown, text: unknown): unknown {
  return schema === undefined || schemaProblem(schema, whole, 'result') === null ? whole : text
}

async function remember(step: AgentStep, content: string): Promise<AgentOutcome> {
  const tool = step.surface.find(({ id }) => id === 'memory:remember')
  if (tool === undefined) {
    emitReasoning(step, 'By rules: the task is to remember something, and memory:remember is not one of its tools.')
    return {
      result: { answer: null, sources: [] },
      confidence: 0,
      decision: { kind: 'not-allowed', tool: 'memory:remember' },
    }
  }
  emitReasoning(step, 'By rules: the task is to remember something.')
  const { ids = [] } = await recordedCall(step, tool, { content })
  return { result: { answer: null, sources: ids }, confidence: 1, decision: { kind: 'remembered', sources: ids } }
}

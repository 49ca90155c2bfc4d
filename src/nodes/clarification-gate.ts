import type { NodeType } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import { isJsonObject } from '../core/workflow/json.ts'
import { answered, timedOut } from './answers.ts'

/** Asks questions and waits for their answers. */
export const clarificationGate: NodeType = {
  typeId: 'core.clarificationGate',
  checkConfig({ questions }, field) {
    const areQuestions =
      Array.isArray(questions) &&
      questions.length > 0 &&
      questions.every((item) => isJsonObject(item) && isName(item.id) && isName(item.question))
    if (!areQuestions) throw invalid(`${field}.questions`, 'must be a list of {id, question}')
    const ids = (questions as { id: string }[]).map(({ id }) => id)
    if (new Set(ids).size < ids.length) throw invalid(`${field}.questions`, 'must have different ids')
  },
  async execute({ node, config, resolution, isTimedOut }) {
    if (isTimedOut) return timedOut
    if (resolution !== null) return answered(resolution.value, config.into)
    const questions = (config.questions as Record<string, unknown>[]).map(({ id, question, schema }) => ({
      id,
      question,
      ...(isJsonObject(schema) ? { schema } : {}),
    }))
    const { contextType, timeoutMs } = config
    return {
      kind: 'interrupt',
      request: {
        kind: 'clarification',
        key: node.id,
        data: { questions, ...(typeof contextType === 'string' ? { contextType } : {}) },
        ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
      },
    }
  },
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

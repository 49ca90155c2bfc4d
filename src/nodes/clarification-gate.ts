import { invalid } from '../core/errors.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json-values.ts'
import { defineNodeType } from './define-node-type.ts'
import {
  answered,
  answerVariableMember,
  checkTimeout,
  interrupted,
  timedOut,
  timeoutMember,
} from './interrupt-result.ts'

export const clarificationGate = defineNodeType({
  typeId: 'core.clarificationGate',
  description: 'Asks questions and waits for their answers.',
  config: {
    questions: { description: 'a list of {id, question}, each with an optional schema of its answer' },
    contextType: { description: 'what the questions are about' },
    timeoutMs: timeoutMember,
    into: answerVariableMember,
  },
  hasLenientConfig: true,
  replay: 'asks',
  checkConfig({ questions, timeoutMs }, field) {
    checkTimeout(timeoutMs, field)
    const areQuestions =
      Array.isArray(questions) &&
      questions.length > 0 &&
      questions.every((item) => isJsonObject(item) && isName(item.id) && isName(item.question))
    if (!areQuestions) throw invalid(`${field}.questions`, 'must be a list of {id, question}')
    const ids = (questions as { id: string }[]).map(({ id }) => id)
    if (new Set(ids).size < ids.length) throw invalid(`${field}.questions`, 'must have different ids')
  },
  acceptsErased: true,
  async execute(request) {
    const { config, resolution, isTimedOut } = request
    if (isTimedOut) return timedOut
    return resolution === null ? interrupted(request, toClarificationRequest) : answered(resolution.value, config.into)
  },
})

function toClarificationRequest(node: WorkflowNode, config: JsonObject) {
  const questions = (config.questions as Record<string, unknown>[]).map(({ id, question, schema }) => ({
    id,
    question,
    ...(isJsonObject(schema) ? { schema } : {}),
  }))
  const context = typeof config.contextType === 'string' ? { contextType: config.contextType } : {}
  return { kind: 'clarification', key: node.id, data: { questions, ...context } } as const
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

import type { HostNodeRequest, NodeConfigMember } from '../app/runs/node-type.ts'
import { findJson } from '../core/agents/find-json.ts'
import { schemaProblem } from '../core/agents/handoff.ts'
import type { ModelAnswer, ModelMessage, ModelRequest } from '../core/agents/model-request.ts'
import { checkCount } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { JsonObject } from '../core/workflow/json-values.ts'
import { type FailedNode, failed } from './agent-step.ts'

/** What the nodes that call a model share. */

export const maxTokensMember: NodeConfigMember = { description: 'the largest number of tokens of the answer' }

/** Token limit and temperature: those of the config, otherwise those of the run. */
export function modelOptions({
  config,
  configurable,
}: HostNodeRequest): Pick<ModelRequest, 'maxOutputTokens' | 'temperature'> {
  const { maxTokens = configurable.maxTokens ?? limits.modelOutputTokensDefault } = config
  checkCount('maxTokens', maxTokens, 1)
  if (maxTokens > limits.modelOutputTokensMax)
    throw invalid('maxTokens', `must be at most ${limits.modelOutputTokensMax}`, {
      limit: 'modelOutputTokensMax',
      max: limits.modelOutputTokensMax,
    })
  const { temperature } = configurable
  return { maxOutputTokens: maxTokens, ...(typeof temperature === 'number' ? { temperature } : {}) }
}

/** The first answer and one repair: further calls cost tokens and rarely help. */
const attemptsMax = 2

/** The failure of a node whose model declined, or was cut off. Null for an answer that can be used. */
export function failureOf({ isRefused, isTruncated }: ModelAnswer): FailedNode | null {
  if (isRefused) return failed('model_refused', 'The model declined to answer.')
  return isTruncated ? failed('model_output_truncated', 'The answer of the model reached its token limit.') : null
}

/** Asks for JSON that fits the schema. An answer that does not fit it, or `problemOf`, is sent back once with what is wrong. */
export async function completeJson(
  { model }: HostNodeRequest,
  request: ModelRequest & { readonly schema: JsonObject },
  problemOf: (value: unknown) => string | null = () => null,
): Promise<{ readonly value: unknown } | FailedNode> {
  const messages: ModelMessage[] = [...request.messages]
  let problem: string | null = null
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer = await model.complete({ ...request, messages })
    const failure = failureOf(answer)
    if (failure !== null) return failure
    const value = findJson(answer.text ?? '')
    problem =
      value === undefined
        ? 'the answer must be JSON'
        : (schemaProblem(request.schema, value, 'the answer') ?? problemOf(value))
    if (problem === null) return { value }
    messages.push({ role: 'assistant', content: answer.text }, { role: 'user', content: repairText(problem) })
  }
  return failed('model_output_invalid', `The answer of the model does not fit the schema: ${problem}`)
}

function repairText(problem: string): string {
  return `This does not fit the schema: ${problem} Answer again, with JSON only.`
}

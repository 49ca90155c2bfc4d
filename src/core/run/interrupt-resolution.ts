import { ColophonError, invalid } from '../errors.ts'
import { checkConfigurable } from '../workflow/configurable.ts'
import { containsErased } from '../workflow/erased-value.ts'
import { isJsonObject, type JsonObject, sameJson } from '../workflow/json-values.ts'
import { checkConversationAnswer, isConversation } from './conversation.ts'
import type { InterruptRequest } from './interrupt.ts'

/** Checks the resolution of an interrupt, and returns it in the form that nodes read. */
export function checkResolution(request: InterruptRequest, value: unknown): unknown {
  // The schema of a conversation is that of its outcome.
  if (isConversation(request.kind)) return checkConversationAnswer(request, value)
  if (request.resumeSchema !== undefined) checkConfigurable(request.resumeSchema, value)
  switch (request.kind) {
    case 'approval':
      return checkApproval(request.data.actions as readonly string[], value)
    case 'low-confidence':
      return checkApproval(ratifications, value)
    case 'clarification':
      return checkClarification(request.data, value)
    case 'external-event':
      return checkCorrelation(request.data, value)
    default:
      return value ?? null
  }
}

/** Whether a resolution ends the waiting. The action `ask` of an approval does not: the approver asks back. */
export function endsWaiting(request: InterruptRequest, value: unknown): boolean {
  return request.kind !== 'approval' || (value as { action?: unknown }).action !== 'ask'
}

/** A decision of low confidence is made as it is, or not made. */
const ratifications = ['accept', 'reject']

function checkApproval(actions: readonly string[], value: unknown): unknown {
  if (!isJsonObject(value)) throw invalid('resumeValue', 'must be an object with an action')
  if (typeof value.action !== 'string' || !actions.includes(value.action)) {
    throw invalid('resumeValue.action', `must be one of ${actions.join(', ')}`)
  }
  return value
}

/** Answers are an object by question id, or a list of {id, answer}. Every question needs an answer. */
function checkClarification(data: JsonObject, value: unknown): unknown {
  const answers = isJsonObject(value) ? value.answers : undefined
  const byId = Array.isArray(answers) ? fromList(answers) : answers
  if (!isJsonObject(byId)) throw invalid('resumeValue.answers', 'must be an object of answers by question id')
  const ids = (data.questions as readonly { readonly id: string }[]).map(({ id }) => id)
  const open = ids.filter(
    (id) => !Object.hasOwn(byId, id) || byId[id] === undefined || byId[id] === null || byId[id] === '',
  )
  if (open.length > 0) throw invalid('resumeValue.answers', `must answer every question: ${open.length} have no answer`)
  if (Object.keys(byId).some((id) => !ids.includes(id)))
    throw invalid('resumeValue.answers', 'must answer only questions that were asked')
  return { ...(value as JsonObject), answers: byId }
}

function fromList(answers: readonly unknown[]): JsonObject | undefined {
  const pairs = answers.map((item) =>
    isJsonObject(item) && typeof item.id === 'string' ? [item.id, item.answer] : null,
  )
  return pairs.includes(null) ? undefined : (Object.fromEntries(pairs as [string, unknown][]) as JsonObject)
}

function checkCorrelation(data: JsonObject, value: unknown): unknown {
  const correlation = (data.correlation ?? {}) as JsonObject
  if (containsErased(correlation))
    throw new ColophonError(
      'content_erased',
      'The correlation that a resolution must match was forgotten. Cancel the run.',
    )
  const fits =
    isJsonObject(value) &&
    Object.entries(correlation).every(
      ([name, expected]) => Object.hasOwn(value, name) && sameJson(value[name], expected),
    )
  if (fits) return value
  throw new ColophonError('interrupt_mismatch', 'The resolution does not match the correlation of the interrupt.')
}

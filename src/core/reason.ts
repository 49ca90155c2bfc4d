import { checkText } from './check.ts'
import { invalid } from './errors.ts'
import { limits } from './limits.ts'

/** The reason that a person gives for a decision. It is stored, so it must not be empty. */
export function checkReason(field: string, reason: string): void {
  checkText(field, reason)
  const max = limits.runReasonCharactersMax
  if (reason.trim() === '' || reason.length > max)
    throw invalid(field, `must say why, in at most ${max} characters`, { limit: 'runReasonCharactersMax', max })
}

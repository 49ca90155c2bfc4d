import { checkText } from './check.ts'
import { invalid } from './errors.ts'
import { limits } from './limits.ts'

/** Why a person decided something. It is kept, so an empty one would be of no use later. */
export function checkReason(field: string, reason: string): void {
  checkText(field, reason)
  const max = limits.runReasonCharactersMax
  if (reason.trim() === '' || reason.length > max)
    throw invalid(field, `must say why, in at most ${max} characters`, { limit: 'runReasonCharactersMax', max })
}

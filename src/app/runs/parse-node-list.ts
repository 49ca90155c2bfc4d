import { checkCharacters, checkCount } from '../../core/check.ts'
import { limits } from '../../core/limits.ts'
import type { NodeList } from './node-type.ts'

/** What is wrong with the call itself is found before the record is asked. */
export function parseNodeList({ limit = limits.pageEntriesDefault, tag, tokenBudget }: NodeList) {
  checkCount('limit', limit, 0)
  if (tag !== undefined) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  if (tokenBudget !== undefined) checkCount('tokenBudget', tokenBudget, 1)
  return {
    tag: tag ?? null,
    limit: Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax),
    tokenBudget,
  }
}

import { waitFor } from '../wait-for.ts'
import type { TenantCheck } from './check.ts'

/** The change stream: a follower receives every entry, in order of position, and no change twice. */
export const changesWereReceived: TenantCheck = async ({ ledger, follower }) => {
  if (!follower) return { checked: 0, problems: ['there was no follower'] }
  const { changes } = follower
  const missing = () => {
    const received = new Set(changes.flatMap(({ entryIds }) => entryIds))
    return [...ledger.entries.keys()].filter((id) => !received.has(id))
  }
  await waitFor(() => missing().length === 0)
  const problems = missing().map((id) => `the entry ${id} was never received`)
  if (follower.gaps > 0) problems.push(`${follower.gaps} gaps were received`)
  const seen = new Set<string>()
  for (const [index, change] of changes.entries()) {
    if (change.position < (changes[index - 1]?.position ?? 0)) problems.push(`position ${change.position} came late`)
    const text = JSON.stringify(change)
    if (seen.has(text)) problems.push(`a change at position ${change.position} was received twice`)
    seen.add(text)
  }
  return { checked: changes.length, problems }
}

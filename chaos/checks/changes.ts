import { waitFor } from '../wait-for.ts'
import type { TenantCheck } from './check.ts'

/** The change stream: whoever follows it is told of every entry, in the order of positions, and of no change twice. */
export const changesWereTold: TenantCheck = async ({ ledger, follower }) => {
  if (!follower) return { looked: 0, problems: ['nobody followed'] }
  const { changes } = follower
  const isTold = () => {
    const told = new Set(changes.flatMap(({ entryIds }) => entryIds))
    return [...ledger.entries.keys()].filter((id) => !told.has(id))
  }
  await waitFor(() => isTold().length === 0)
  const problems = isTold().map((id) => `the entry ${id} was never told`)
  if (follower.gaps > 0) problems.push(`${follower.gaps} gaps were told`)
  const seen = new Set<string>()
  for (const [index, change] of changes.entries()) {
    if (change.position < (changes[index - 1]?.position ?? 0)) problems.push(`position ${change.position} came late`)
    const text = JSON.stringify(change)
    if (seen.has(text)) problems.push(`a change at position ${change.position} was told twice`)
    seen.add(text)
  }
  return { looked: changes.length, problems }
}

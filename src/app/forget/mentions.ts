import type { EntryVersion } from '../../core/entries/entry.ts'
import { invalid } from '../../core/errors.ts'
import { everySequence, type Fence, type NewFence } from '../../core/forget/fence.ts'
import { mentionMatcher, refMatcher } from '../../core/forget/mention-matcher.ts'
import { limits } from '../../core/limits.ts'
import { yieldToEventLoop } from '../event-loop.ts'
import { declaredAliases } from '../provenance/aliases.ts'
import type { Tenant } from '../tenant.ts'

export type EntryName = { readonly memoryRef: string; readonly id: string }

/** Other entries that name the subject, oldest first: their count, and the first of them by id. */
export type Mentions = { readonly count: number; readonly entries: readonly EntryName[] }

/**
 * Entries outside of the fences that contain the name of the subject or a declared alias as a word: in the content or a tag of any stored
 * version, or in the name of their ref.
 */
export async function findMentions(tenant: Tenant, subject: string, fences: readonly Fence[]): Promise<EntryName[]> {
  const names = [subject, ...(await declaredAliases(tenant, subject))]
  const [inTexts, inRefs] = [names.map(mentionMatcher), names.map(refMatcher)]
  const isNamed = (text: string) => inTexts.some((isIn) => isIn(text))
  const isRefNamed = memoized((memoryRef) => inRefs.some((isIn) => isIn(memoryRef)))
  const found = new Map<string, EntryName>()
  for (let after: EntryVersion | null = null; ; ) {
    const limit = limits.rewritePageEntriesMax
    const page: readonly EntryVersion[] = await tenant.storage.scanVersions({ tenantId: tenant.id, after, limit })
    const named = page.filter(
      ({ content, tags, memoryRef }) => isRefNamed(memoryRef) || isNamed(content) || tags.some(isNamed),
    )
    const ids = [...new Set(named.map(({ entryId }) => entryId))]
    const hidden = ids.length === 0 ? [] : await tenant.storage.forget.among(tenant.id, fences, ids)
    const gone = new Set(hidden.map(({ entryId }) => entryId))
    for (const { memoryRef, entryId } of named) if (!gone.has(entryId)) found.set(entryId, { memoryRef, id: entryId })
    after = page.at(-1) ?? null
    if (after === null || page.length < limit) return [...found.values()]
    // Texts may be large, and requests wait for the event loop.
    await yieldToEventLoop()
  }
}

/** The versions of a ref follow each other in no order, and there are few refs. */
function memoized(test: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = test(text)
    if (known.size < limits.forgetRefsRememberedMax) known.set(text, result)
    return result
  }
}

export function toMentions(found: readonly EntryName[]): Mentions {
  return { count: found.length, entries: found.slice(0, limits.forgetMentionsShownMax) }
}

/** The fences of the mentions, stored in one commit with those of the subject. Every read compares with every fence, so they are limited. */
export function fencesOfMentions(found: readonly EntryName[]): NewFence[] {
  const max = limits.forgetMentionsErasedMax
  if (found.length > max)
    throw invalid(
      'mentions',
      `must not be erase for more than ${max} entries, and ${found.length} name the subject: forget some by tag or memoryRef first`,
      { limit: 'forgetMentionsErasedMax', max },
    )
  return found.map(({ id }) => ({ kind: 'entry', value: id, position: null, ...everySequence }))
}

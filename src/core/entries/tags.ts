import { checkText, checkUnformatted } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { alwaysIncludeTag } from './always-include.ts'
import type { Origin } from './entry.ts'

/** The mark of the memory that has the aliases of a subject. */
export const aliasesTag = 'colophon.aliases'

/** Tags that only the host sets. A client that could write them could forge the origin of a memory. */
const marks = [alwaysIncludeTag, aliasesTag] as const
const reservedTags = ['source:run', 'source:session', 'source:api', 'source:compaction', ...marks] as const
const serviceTag = 'source:service:'
const reservedTagPrefixes = [serviceTag, 'compacted-from:', 'openwop.'] as const

/** Whether a tag is one that only the host sets. */
export function isHostTag(tag: string): boolean {
  return (
    (reservedTags as readonly string[]).includes(tag) || reservedTagPrefixes.some((prefix) => tag.startsWith(prefix))
  )
}

/** Whether a tag is a mark of the host: it says what a memory is for, not where it comes from. */
export function isMark(tag: string): boolean {
  return (marks as readonly string[]).includes(tag)
}

/** The tags in a request, as a set: empty and repeated ones are dropped, the order is kept. */
export function parseTags(value: unknown): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid('tags', 'must be an array of strings')
  const tags = new Set<string>()
  for (const tag of value) {
    checkText('tags', tag)
    if (tag === '') continue
    checkUnformatted('tags', tag)
    if (tag.length > limits.tagCharactersMax) {
      throw invalid('tags', `must each be at most ${limits.tagCharactersMax} characters`, {
        limit: 'tagCharactersMax',
        max: limits.tagCharactersMax,
      })
    }
    if (isHostTag(tag))
      throw invalid(
        'tags',
        `must not use a tag that the host sets itself (source:…, compacted-from:…, openwop.…, ${marks.join(', ')})`,
      )
    tags.add(tag)
  }
  if (tags.size > limits.tagsPerEntryMax) {
    throw invalid('tags', `must be at most ${limits.tagsPerEntryMax}`, {
      limit: 'tagsPerEntryMax',
      max: limits.tagsPerEntryMax,
    })
  }
  return [...tags]
}

/** The tags with the source tag of this origin, and without other tags of the host. The mark stays: it belongs to the text. */
export function withSourceTag(tags: readonly string[], origin: Origin): string[] {
  const kept = tags.filter((tag) => !isHostTag(tag) || tag === alwaysIncludeTag)
  return [...new Set([...kept, sourceTag(origin)])]
}

/** The tag by which the host shows the origin of an entry, such as `source:api`. */
export function sourceTag(origin: Origin): string {
  return origin.kind === 'service' ? `${serviceTag}${origin.service}` : `source:${origin.kind}`
}

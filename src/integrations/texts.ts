import type { Client, EntryDraft, SearchAnswer } from '../client/index.ts'
import { limits } from '../core/limits.ts'
import { byRole, markOf, roleTag, type SaidText, saidTexts } from '../core/provenance/said-by.ts'

/** Long-term memory in the frameworks: texts about a person in one ref, which a query finds. */

/** Options of every integration of this kind. */
export type TextMemoryOptions = {
  readonly client: Client
  /** The stable id of the person that the memory is about. It is part of the memoryRef, so people are apart. */
  readonly subject: string
}

/** The entries of a ref that match a query, best first. A query without words finds nothing. */
export async function searchTexts(
  client: Client,
  ref: string,
  query: string,
  limit: number,
): Promise<SearchAnswer['results']> {
  // A question can be a whole document: its beginning is what is searched for.
  const words = query.trim().slice(0, limits.queryCharactersMax)
  return words === '' ? [] : (await client.memory.search(ref, words, { limit })).results
}

/** The text of a message whose content is a text or a list of parts. Parts without a text are left out. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  if (!Array.isArray(content)) return ''
  const texts = content.map((part: { readonly text?: unknown } | null) => part?.text)
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .trim()
}

/** The drafts of a message: one for what its author said, and one for each part that the program put in. */
export function partDrafts(
  { role, by, text }: SaidText & { readonly role: string },
  { tags = [], ...more }: Pick<EntryDraft, 'subject' | 'tags'>,
): EntryDraft[] {
  return saidTexts(by, text).map((part): EntryDraft => {
    const { tags: marks, ...mark } = markOf(part.by)
    return {
      ...more,
      ...mark,
      content: part.text,
      tags: [...(part.by === byRole(role) ? [roleTag(role)] : marks), ...tags],
    }
  })
}

import { textTerms } from '../../core/commitments/statement.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

/** A text that statements are compared with. */
export type ComparedText = Pick<EntryVersion, 'memoryRef' | 'entryId' | 'version' | 'content'>

type Known = { readonly texts: Map<string, ReadonlySet<string>>; terms: number }

/** Words of texts that were compared last. Many conditions of a ref look at the same entries, and to split a text takes most of the time. */
const byStorage = new WeakMap<Engine['storage'], Known>()
/** Some ten megabytes at most. */
const cachedTermsMax = 200_000

/** The words of a version, which stay the same. A redaction of its text only removes some. */
export function termsOfVersion(
  { storage, id }: Tenant,
  { entryId, version, content }: ComparedText,
): ReadonlySet<string> {
  const known = byStorage.get(storage) ?? { texts: new Map(), terms: 0 }
  byStorage.set(storage, known)
  const key = `${id} ${entryId} ${version}`
  const cached = known.texts.get(key)
  if (cached !== undefined) return cached
  const terms = textTerms(content)
  if (known.terms + terms.size > cachedTermsMax) {
    known.texts.clear()
    known.terms = 0
  }
  known.texts.set(key, terms)
  known.terms += terms.size
  return terms
}

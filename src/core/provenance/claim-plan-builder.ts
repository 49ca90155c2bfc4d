import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import { isAlwaysIncluded, markTags } from '../entries/always-include.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { withSourceTag } from '../entries/tags.ts'
import type { Classification } from './category.ts'
import { type Assertion, isContained, type UnsealedAssertion } from './claim.ts'
import type { ClaimIdentity, ClaimState, ContentOrigin, Ids, NewAssertion } from './claim-plan.ts'
import { classifyContent } from './classify-content.ts'
import { mayWinAgain, toDeletedVersion } from './ended-entry.ts'
import type { RankedContent } from './resolve-conflict.ts'

/** Collects the changes of entries that follow from the ranking of a claim. */
export class PlanBuilder {
  readonly puts: NewEntry[] = []
  readonly revisions: Revision[] = []
  readonly ends: Ending[] = []
  readonly expects: Expectation[] = []
  readonly #identity: ClaimIdentity
  readonly #state: ClaimState
  readonly #added: readonly NewAssertion[]
  readonly #ids: Ids
  readonly #fresh: readonly Assertion[]
  readonly #entries = new Map<string, string>()
  readonly #origins: ReadonlyMap<string, ContentOrigin>
  readonly #replaced: EntryVersion | undefined
  /** Contents that get a new entry, and its id. */
  readonly attached: { readonly contentKey: string; readonly entryId: string }[] = []

  constructor(
    identity: ClaimIdentity,
    state: ClaimState,
    added: readonly NewAssertion[],
    fresh: readonly Assertion[],
    ids: Ids,
    origins: ReadonlyMap<string, ContentOrigin>,
    replaced: EntryVersion | undefined,
  ) {
    this.#origins = origins
    this.#replaced = replaced
    this.#identity = identity
    this.#state = state
    this.#added = added
    this.#fresh = fresh
    this.#ids = ids
  }

  /** The new assertions, each with the entry of its content. */
  get assertions(): Omit<UnsealedAssertion, 'recordedPosition'>[] {
    return this.#fresh.map(({ recordedPosition: _none, isKeptAlone: _derived, seal: _later, ...assertion }) => ({
      ...assertion,
      entryId: this.#entries.get(assertion.contentKey) ?? null,
    }))
  }

  entryOf({ contentKey }: RankedContent): string | null {
    return this.#entries.get(contentKey) ?? null
  }

  /** Begins, revives or ends the entry of a content, by whether the content is the winner. */
  settle(content: RankedContent, isWinner: boolean): void {
    if (!content.isKept) return
    const { contentKey, entryId } = content
    const entry = entryId === null ? undefined : this.#state.entries.get(entryId)
    if (entryId === null || entry === undefined) {
      if (this.#replaced !== undefined && this.#isFresh(contentKey)) this.#replace(this.#replaced, content, isWinner)
      else this.#begin(content, isWinner)
      return
    }
    this.#entries.set(contentKey, entryId)
    const isLive = entry.endedPosition === null
    // What a containment ended comes back as the new assertion states it.
    if (entry.endedReason === 'contained' && this.#isFresh(contentKey)) {
      this.#replace(entry, content, isWinner)
      return
    }
    // An archived entry stays archived, also when its content wins.
    if (isWinner && !isLive && mayWinAgain(entry)) this.#repeat(entry, content)
    else if (!isWinner && isLive) this.#end(entry, 'superseded')
    // Another class is another version, and so is the mark that a new assertion of the same content has.
    else if (isWinner && isLive && (entry.trust !== content.trust || this.#isMarkedNow(entry, contentKey)))
      this.#repeat(entry, content)
  }

  remove(entry: EntryVersion): void {
    if (entry.endedPosition === null) this.#end(entry, 'deleted')
    else this.revisions.push(toDeletedVersion(entry, this.#ids.salt()))
  }

  /** A content that does not win gets an entry too. The entry ends at once: it is not listed, but it is in the history. */
  #begin(content: RankedContent, isWinner: boolean): void {
    const { contentKey, best, supporters } = content
    const source = this.#sourceOf(contentKey) ?? this.#again(supporters)
    if (source === undefined) return
    const entryId = this.#ids.entryId()
    if (!this.#isFresh(contentKey)) this.attached.push({ contentKey, entryId })
    const { subject } = this.#identity
    this.#entries.set(contentKey, entryId)
    this.puts.push({
      memoryRef: `subject:${subject}`,
      entryId,
      content: best.content,
      tags: withSourceTag(source.tags, source.origin),
      expiresAt: source.expiresAt,
      subject,
      origin: source.origin,
      salt: this.#ids.salt(),
      classification: this.#classify(content, source.sessionId),
      trust: content.trust,
      readers: source.readers,
      ...(isWinner ? {} : { endsAtOnce: 'superseded' }),
    })
  }

  /** The next version of the entry has the new content with its own origin and tags; those of the former content are dropped. */
  #replace(entry: EntryVersion, content: RankedContent, isWinner: boolean): void {
    const { memoryRef, entryId, version } = entry
    const isLive = entry.endedPosition === null
    const source = this.#sourceOf(content.contentKey)
    if (source === undefined) return
    this.#entries.set(content.contentKey, entryId)
    this.revisions.push({
      memoryRef,
      entryId,
      content: content.best.content,
      tags: withSourceTag(source.tags, source.origin),
      origin: source.origin,
      revives: !isLive,
      salt: this.#ids.salt(),
      classification: this.#classify(content, source.sessionId),
      trust: content.trust,
      ...(isWinner ? {} : { endsAtOnce: 'superseded' }),
    })
    this.expects.push({ memoryRef, entryId, version: isLive ? version : 0 })
  }

  #classify(content: RankedContent, sessionId: string | undefined): Classification {
    return { ...classifyContent(this.#identity, content), ...(sessionId === undefined ? {} : { sessionId }) }
  }

  #isFresh(contentKey: string): boolean {
    return this.#sourceOf(contentKey) !== undefined
  }

  #isMarkedNow(entry: EntryVersion, contentKey: string): boolean {
    const source = this.#sourceOf(contentKey)
    return source !== undefined && isAlwaysIncluded(source) && !isAlwaysIncluded(entry)
  }

  /** The first of the new assertions that states this content. */
  #sourceOf(contentKey: string): NewAssertion | undefined {
    return this.#added.find((assertion) => assertion.contentKey === contentKey && !isContained(assertion))
  }

  /** The origin of a content whose entry was erased, from its source events. */
  #again(
    supporters: readonly Assertion[],
  ): Pick<NewAssertion, 'origin' | 'readers' | 'tags' | 'expiresAt' | 'sessionId'> | undefined {
    const known = supporters.map(({ sourceEventId }) => this.#origins.get(sourceEventId)).find((found) => found)
    return known && { ...known, tags: [], expiresAt: null }
  }

  /** The next version of an entry with the same text: it is the winner again, or its class has changed. */
  #repeat(entry: EntryVersion, { trust, contentKey }: RankedContent): void {
    const { memoryRef, entryId, content, origin, version } = entry
    const revives = entry.endedPosition !== null
    const tags = this.#isMarkedNow(entry, contentKey) ? markTags(entry.tags, true) : entry.tags
    this.revisions.push({ memoryRef, entryId, content, tags, origin, trust, revives, salt: this.#ids.salt() })
    this.expects.push({ memoryRef, entryId, version: revives ? 0 : version })
  }

  #end(entry: EntryVersion, reason: string): void {
    const { memoryRef, entryId, version } = entry
    this.ends.push({ memoryRef, entryId, reason })
    this.expects.push({ memoryRef, entryId, version })
  }
}

import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import type { EntryVersion, Origin } from '../entries/entry.ts'
import type { Readers } from '../entries/readers.ts'
import { withSourceTag } from '../entries/tags.ts'
import { invariant } from '../invariant.ts'
import type { Category, Classification } from './category.ts'
import {
  type Assertion,
  type ClaimRecord,
  isContained,
  isWithdrawn,
  type Pin,
  type UnsealedAssertion,
} from './claim.ts'
import type { ClaimStep, Repricing } from './claim-step.ts'
import { classifyContent } from './classify-content.ts'
import { mayWinAgain, toDeletedVersion } from './ended-entry.ts'
import { plainTrustRules, type RankedContent, resolveClaim, type TrustRules } from './resolve-conflict.ts'

/** A stored claim with its assertions and the newest version of each entry that they name. */
export type ClaimState = {
  readonly claim: ClaimRecord | null
  readonly assertions: readonly Assertion[]
  readonly entries: ReadonlyMap<string, EntryVersion>
  /** Left out when all assertions have the same class. */
  readonly rules?: TrustRules
}

/** Which claim: its id, and the subject, category and key that the id is made from. */
export type ClaimIdentity = {
  readonly claimId: string
  readonly subject: string
  readonly category: Category
  readonly claimKey: string | null
}

/** An assertion before it is stored: its ordinal, entry and position are decided with the claim. */
export type NewAssertion = Omit<
  Assertion,
  'claimId' | 'ordinal' | 'entryId' | 'recordedPosition' | 'withdrawnPosition' | 'seal'
> & {
  readonly origin: Origin
  readonly tags: readonly string[]
  readonly expiresAt: number | null
  /** Who may read the content. The content key depends on it, so all assertions of a content have the same. */
  readonly readers: Readers
  readonly sessionId?: string
}

/** The change of a claim, and the changes of entries that follow from it. */
export type ClaimPlan = {
  readonly step: ClaimStep
  readonly puts: readonly NewEntry[]
  readonly revisions: readonly Revision[]
  readonly ends: readonly Ending[]
  readonly expects: readonly Expectation[]
  readonly created: number
  readonly superseded: number
}

/** What happens to a claim. */
export type ClaimChange = {
  readonly added?: readonly NewAssertion[]
  /** The entry whose content is deleted. */
  readonly withdrawn?: EntryVersion
  /** The entry that gets the one added content as its next version: an edit of a content that competes with no other. */
  readonly replaced?: EntryVersion
  /** Undefined leaves the pin as it is. */
  readonly pin?: Pin | null
  readonly repriced?: Repricing
  /** The origins of contents whose entry was erased, by source event: they get a new entry. */
  readonly origins?: ReadonlyMap<string, ContentOrigin>
}

/** Where a content comes from, and who may read it. */
export type ContentOrigin = Pick<NewAssertion, 'origin' | 'readers'>

type Ids = { readonly entryId: () => string; readonly salt: () => string }

/**
 * Decides a change of a claim: which content wins now, and which entry begins, ends or is revived. Pure: the same state and change give
 * the same plan. The plan is refused unless the claim and the entries still have the revision and versions it was made from.
 */
export function planClaim(identity: ClaimIdentity, state: ClaimState, change: ClaimChange, ids: Ids): ClaimPlan {
  const { added = [], withdrawn, replaced, repriced, origins } = change
  const pin = change.pin === undefined ? (state.claim?.pin ?? null) : change.pin
  const ending = withdrawn ?? replaced
  const removed = ending === undefined ? null : entryContentKey(state.assertions, ending.entryId)
  const kept = state.assertions
    // A withdrawn assertion no longer counts for its content, but a content that was untrusted stays so.
    .map((item) => (item.contentKey === removed ? withdrawnNow(item) : item))
    .map((item) => (item.service === repriced?.service ? { ...item, priority: repriced?.priority ?? 0 } : item))
  // Not Math.max(...ordinals): a claim can have more assertions than a call can have arguments.
  const nextOrdinal = state.assertions.reduce((max, { ordinal }) => Math.max(max, ordinal), -1) + 1
  const fresh = added.map((assertion, index) => toAssertion(identity, assertion, nextOrdinal + index))
  const ranking = resolveClaim([...kept, ...fresh], pin, state.rules ?? plainTrustRules)
  const plan = new PlanBuilder(identity, state, added, fresh, ids, origins ?? new Map(), replaced)
  for (const content of ranking.contents) plan.settle(content, content === ranking.winner)
  if (withdrawn !== undefined) plan.remove(withdrawn)
  const winner = ranking.winner === null ? null : plan.entryOf(ranking.winner)
  const current = [...plan.puts, ...plan.revisions].filter(({ endsAtOnce }) => endsAtOnce === undefined)
  invariant(current.length <= 1, 'a claim has one winner: at most one of its entries becomes current')
  const { claimId, subject, category, claimKey } = identity
  return {
    step: {
      expects: state.claim?.revision ?? 0,
      claim: { claimId, subject, category, claimKey, winner, isContested: ranking.isContested, pin },
      before: state.assertions,
      assertions: plan.assertions,
      withdrawn: removed === null ? [] : [removed],
      repriced: repriced ? [repriced] : [],
      ...(plan.attached.length === 0 ? {} : { attached: plan.attached }),
    },
    puts: plan.puts,
    revisions: plan.revisions,
    ends: plan.ends,
    expects: plan.expects,
    created: plan.puts.length,
    superseded: plan.ends.filter(({ reason }) => reason === 'superseded').length,
  }
}

/** The current content of an entry. The content before an edit is withdrawn. */
export function entryContentKey(assertions: readonly Assertion[], entryId: string): string | null {
  const own = assertions.find((item) => item.entryId === entryId && !isWithdrawn(item))
  return own?.contentKey ?? null
}

function toAssertion(identity: ClaimIdentity, assertion: NewAssertion, ordinal: number): Assertion {
  const { origin: _origin, tags: _tags, expiresAt: _end, sessionId: _session, readers: _readers, ...facts } = assertion
  return {
    ...facts,
    claimId: identity.claimId,
    ordinal,
    entryId: null,
    recordedPosition: 0,
    withdrawnPosition: null,
    seal: '',
  }
}

/** Why an entry ends that a person rejected while it was in quarantine. */
export const rejectedReason = 'rejected'

function withdrawnNow(item: Assertion): Assertion {
  return { ...item, withdrawnPosition: item.withdrawnPosition ?? 0, withdrawalContainedBy: null }
}

/** Collects the changes of entries that follow from the ranking of a claim. */
class PlanBuilder {
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
    // Another class is another version.
    else if (isWinner && isLive && entry.trust !== content.trust) this.#repeat(entry, content)
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
  #repeat(entry: EntryVersion, { trust }: RankedContent): void {
    const { memoryRef, entryId, content, tags, origin, version } = entry
    const revives = entry.endedPosition !== null
    this.revisions.push({ memoryRef, entryId, content, tags, origin, trust, revives, salt: this.#ids.salt() })
    this.expects.push({ memoryRef, entryId, version: revives ? 0 : version })
  }

  #end(entry: EntryVersion, reason: string): void {
    const { memoryRef, entryId, version } = entry
    this.ends.push({ memoryRef, entryId, reason })
    this.expects.push({ memoryRef, entryId, version })
  }
}

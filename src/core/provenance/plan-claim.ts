import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import type { EntryVersion, Origin } from '../entries/entry.ts'
import { withSourceTag } from '../entries/tags.ts'
import type { Category, Classification } from './category.ts'
import {
  type Assertion,
  type Claim,
  type ContentStanding,
  type Pin,
  resolveClaim,
  type UnsealedAssertion,
} from './claim.ts'
import type { ClaimStep, Repricing } from './claim-step.ts'

/** What the store shows of a claim: itself, its assertions, and the newest version of each entry they name. */
export type ClaimState = {
  readonly claim: Claim | null
  readonly assertions: readonly Assertion[]
  readonly entries: ReadonlyMap<string, EntryVersion>
}

export type ClaimSlot = {
  readonly claimId: string
  readonly subject: string
  readonly category: Category
  readonly claimKey: string | null
}

/** An assertion before it is stored: its place, entry and position are decided with the claim. */
export type NewAssertion = Omit<
  Assertion,
  'claimId' | 'ordinal' | 'entryId' | 'recordedPosition' | 'withdrawnPosition' | 'seal'
> & {
  readonly origin: Origin
  readonly tags: readonly string[]
  readonly expiresAt: number | null
  readonly sessionId?: string
}

export type ClaimPlan = {
  readonly step: ClaimStep
  readonly puts: readonly NewEntry[]
  readonly revisions: readonly Revision[]
  readonly ends: readonly Ending[]
  readonly expects: readonly Expectation[]
  readonly created: number
  readonly superseded: number
}

export type ClaimChange = {
  readonly added?: readonly NewAssertion[]
  /** The entry whose content is deleted. */
  readonly withdrawn?: EntryVersion
  /**
   * The entry that takes the one added content as its next version, in place of the content it has: an edit of what competes
   * with nothing.
   */
  readonly replaced?: EntryVersion
  /** Undefined leaves the pin as it is. */
  readonly pin?: Pin | null
  readonly repriced?: Repricing
  /** Where contents come from whose entry is gone, by source event: they get an entry again. */
  readonly origins?: ReadonlyMap<string, Origin>
}

type Ids = { readonly entryId: () => string; readonly salt: () => string }

/**
 * What a change means for a claim: who wins now, which entry begins, ends or comes back. Pure: the same state and change
 * give the same plan. It holds only while the claim has the revision and the entries the versions it was made from.
 */
export function planClaim(slot: ClaimSlot, state: ClaimState, change: ClaimChange, ids: Ids): ClaimPlan {
  const { added = [], withdrawn, replaced, repriced, origins } = change
  const pin = change.pin === undefined ? (state.claim?.pin ?? null) : change.pin
  const ending = withdrawn ?? replaced
  const gone = ending === undefined ? null : contentOf(state.assertions, ending.entryId)
  const kept = state.assertions
    .filter(({ contentKey, withdrawnPosition }) => withdrawnPosition === null && contentKey !== gone)
    .map((item) => (item.service === repriced?.service ? { ...item, priority: repriced?.priority ?? 0 } : item))
  // Any number of assertions: more than a call can have arguments.
  const nextOrdinal = state.assertions.reduce((max, { ordinal }) => Math.max(max, ordinal), -1) + 1
  const fresh = added.map((assertion, index) => toAssertion(slot, assertion, nextOrdinal + index))
  const verdict = resolveClaim([...kept, ...fresh], pin)
  const plan = new Plan(slot, state, added, fresh, ids, origins ?? new Map(), replaced)
  for (const standing of verdict.standings) plan.settle(standing, standing === verdict.winner)
  if (withdrawn !== undefined) plan.remove(withdrawn)
  const winner = verdict.winner === null ? null : plan.entryOf(verdict.winner)
  const { claimId, subject, category, claimKey } = slot
  return {
    step: {
      expects: state.claim?.revision ?? 0,
      claim: { claimId, subject, category, claimKey, winner, isContested: verdict.isContested, pin },
      before: state.assertions,
      assertions: plan.assertions,
      withdrawn: gone === null ? [] : [gone],
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

/** The content that an entry holds now: what it held before an edit is withdrawn. */
export function contentOf(assertions: readonly Assertion[], entryId: string): string | null {
  const own = assertions.find((item) => item.entryId === entryId && item.withdrawnPosition === null)
  return own?.contentKey ?? null
}

function toAssertion(slot: ClaimSlot, assertion: NewAssertion, ordinal: number): Assertion {
  const { origin: _origin, tags: _tags, expiresAt: _expiresAt, sessionId: _session, ...facts } = assertion
  return {
    ...facts,
    claimId: slot.claimId,
    ordinal,
    entryId: null,
    recordedPosition: 0,
    withdrawnPosition: null,
    seal: '',
  }
}

/** An entry that is over already is deleted by a last version that says so, and says nothing else. */
export function deletedMark({ memoryRef, entryId, origin }: EntryVersion, salt: string): Revision {
  return { memoryRef, entryId, content: '', tags: [], origin, salt, revives: true, endsAtOnce: 'deleted' }
}

/** Gathers the rows. */
class Plan {
  readonly puts: NewEntry[] = []
  readonly revisions: Revision[] = []
  readonly ends: Ending[] = []
  readonly expects: Expectation[] = []
  readonly #slot: ClaimSlot
  readonly #state: ClaimState
  readonly #added: readonly NewAssertion[]
  readonly #ids: Ids
  readonly #fresh: readonly Assertion[]
  readonly #entries = new Map<string, string>()
  readonly #origins: ReadonlyMap<string, Origin>
  readonly #replaced: EntryVersion | undefined
  /** Contents that get an entry again, and which. */
  readonly attached: { readonly contentKey: string; readonly entryId: string }[] = []

  constructor(
    slot: ClaimSlot,
    state: ClaimState,
    added: readonly NewAssertion[],
    fresh: readonly Assertion[],
    ids: Ids,
    origins: ReadonlyMap<string, Origin>,
    replaced: EntryVersion | undefined,
  ) {
    this.#origins = origins
    this.#replaced = replaced
    this.#slot = slot
    this.#state = state
    this.#added = added
    this.#fresh = fresh
    this.#ids = ids
  }

  /** The new assertions, each with the entry that holds its content by now. */
  get assertions(): Omit<UnsealedAssertion, 'recordedPosition'>[] {
    return this.#fresh.map(({ recordedPosition: _none, isKeptAlone: _told, seal: _later, ...assertion }) => ({
      ...assertion,
      entryId: this.#entries.get(assertion.contentKey) ?? null,
    }))
  }

  entryOf(standing: ContentStanding): string | null {
    return this.#entries.get(standing.contentKey) ?? null
  }

  settle(standing: ContentStanding, isWinner: boolean): void {
    if (!standing.isKept) return
    const { contentKey, entryId } = standing
    const entry = entryId === null ? undefined : this.#state.entries.get(entryId)
    if (entryId === null || entry === undefined) {
      if (this.#replaced !== undefined && this.#isFresh(contentKey)) this.#replace(this.#replaced, standing, isWinner)
      else this.#begin(standing, isWinner)
      return
    }
    this.#entries.set(contentKey, entryId)
    const isLive = entry.endedPosition === null
    // What a person archived stays away, also when it wins.
    if (isWinner && !isLive && entry.endedReason === 'superseded') this.#revive(entry)
    else if (!isWinner && isLive) this.#end(entry, 'superseded')
  }

  remove(entry: EntryVersion): void {
    if (entry.endedPosition === null) this.#end(entry, 'deleted')
    else this.revisions.push(deletedMark(entry, this.#ids.salt()))
  }

  /** A content that loses from the start is kept as well: it is in nobody's list, but in the history. */
  #begin(standing: ContentStanding, isWinner: boolean): void {
    const { contentKey, best, supporters } = standing
    const source = this.#sourceOf(contentKey) ?? this.#again(supporters)
    if (source === undefined) return
    const entryId = this.#ids.entryId()
    if (!this.#isFresh(contentKey)) this.attached.push({ contentKey, entryId })
    const { subject } = this.#slot
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
      classification: this.#classify(standing, source.sessionId),
      ...(isWinner ? {} : { endsAtOnce: 'superseded' }),
    })
  }

  /** The entry goes on with other words, which are another's: nothing of where the former came from stays with it. */
  #replace({ memoryRef, entryId, version }: EntryVersion, standing: ContentStanding, isWinner: boolean): void {
    const source = this.#sourceOf(standing.contentKey)
    if (source === undefined) return
    this.#entries.set(standing.contentKey, entryId)
    this.revisions.push({
      memoryRef,
      entryId,
      content: standing.best.content,
      tags: withSourceTag(source.tags, source.origin),
      origin: source.origin,
      revives: false,
      salt: this.#ids.salt(),
      classification: this.#classify(standing, source.sessionId),
      ...(isWinner ? {} : { endsAtOnce: 'superseded' }),
    })
    this.expects.push({ memoryRef, entryId, version })
  }

  #classify({ best, supporters }: ContentStanding, sessionId: string | undefined): Classification {
    const { category, claimKey, claimId } = this.#slot
    return {
      category,
      claimKey,
      claimId,
      importance: supporters.reduce((max, { importance }) => Math.max(max, importance), best.importance),
      confidence: best.confidence,
      sourceEventId: best.sourceEventId,
      observedAt: best.observedAt,
      ...(sessionId === undefined ? {} : { sessionId }),
    }
  }

  #isFresh(contentKey: string): boolean {
    return this.#sourceOf(contentKey) !== undefined
  }

  /** The first of the new assertions that states this content. */
  #sourceOf(contentKey: string): NewAssertion | undefined {
    return this.#added.find((assertion) => assertion.contentKey === contentKey)
  }

  /** What is known of a content whose entry is gone. */
  #again(
    supporters: readonly Assertion[],
  ): Pick<NewAssertion, 'origin' | 'tags' | 'expiresAt' | 'sessionId'> | undefined {
    const origin = supporters.map(({ sourceEventId }) => this.#origins.get(sourceEventId)).find((known) => known)
    return origin && { origin, tags: [], expiresAt: null }
  }

  #revive(entry: EntryVersion): void {
    const { memoryRef, entryId, content, tags, origin } = entry
    this.revisions.push({ memoryRef, entryId, content, tags, origin, revives: true, salt: this.#ids.salt() })
    this.expects.push({ memoryRef, entryId, version: 0 })
  }

  #end(entry: EntryVersion, reason: string): void {
    const { memoryRef, entryId, version } = entry
    this.ends.push({ memoryRef, entryId, reason })
    this.expects.push({ memoryRef, entryId, version })
  }
}

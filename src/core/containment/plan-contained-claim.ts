import type { NewEntry } from '../commit/batch.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { withSourceTag } from '../entries/tags.ts'
import { type Assertion, type ClaimRecord, isContained, type Pin } from '../provenance/claim.ts'
import type { ContentOrigin } from '../provenance/claim-plan.ts'
import type { ClaimStep, ContainmentMarks } from '../provenance/claim-step.ts'
import { classifyContent } from '../provenance/classify-content.ts'
import { type RankedContent, resolveClaim, type TrustRules } from '../provenance/resolve-conflict.ts'
import { type EntryMoves, type EntryText, endAgain, type MoveOptions, moveEntry } from './move-entry.ts'
import { containedReason, type EntryState } from './state-without.ts'

/** An entry of a claim: its newest version, and its state as if what is contained had not happened. */
export type ClaimEntry = { readonly newest: EntryVersion; readonly state: EntryState }

export type ContainedClaim = {
  readonly claim: ClaimRecord
  readonly assertions: readonly Assertion[]
  readonly entries: ReadonlyMap<string, ClaimEntry>
  /** The marks that change. */
  readonly marked: readonly ContainmentMarks[]
  readonly pin: Pin | null
  /** The origins of contents, by source event. Needed for contents whose entry has no other text left. */
  readonly origins: ReadonlyMap<string, ContentOrigin>
  readonly rules: TrustRules
}

type Options = MoveOptions & { readonly entryId: () => string }

/**
 * Decides a claim again after the marks of its assertions changed, and moves its entries to the result: the winner is current, the others
 * are superseded, and what has only contained assertions ends as contained.
 */
export function planContainedClaim(
  { claim, assertions, entries, marked, pin, origins, rules }: ContainedClaim,
  moves: EntryMoves & { readonly puts: NewEntry[] },
  options: Options,
): ClaimStep {
  const marks = new Map(marked.map((item) => [item.ordinal, item]))
  const after = assertions.map((item) => ({ ...item, ...marks.get(item.ordinal) }))
  const ranking = resolveClaim(after, pin, rules)
  const kept = ranking.contents.filter(({ isKept }) => isKept)
  // Two contents can have one entry, which was edited: the higher rank is set last.
  const contentOf = new Map(
    kept.toReversed().flatMap((content) => (content.entryId === null ? [] : [[content.entryId, content]])),
  )
  for (const [entryId, entry] of entries) {
    const content = contentOf.get(entryId)
    if (content !== undefined) settle(entry, content, content === ranking.winner)
    else if (isOfContained(entryId)) move(entry, containedReason)
    // Two entries can have one content, if it was stated again while it was contained. One of them is current.
    else if (entry.newest.endedPosition === null) move(entry, 'superseded')
  }
  const attached = kept.flatMap((content) => {
    const entryId = content.entryId === null ? begin(content, content === ranking.winner) : null
    return entryId === null ? [] : [{ contentKey: content.contentKey, entryId }]
  })
  const winner = ranking.winner
  const { claimId, subject, category, claimKey } = claim
  return {
    expects: claim.revision,
    claim: {
      claimId,
      subject,
      category,
      claimKey,
      winner: winner?.entryId ?? attached.find(({ contentKey }) => contentKey === winner?.contentKey)?.entryId ?? null,
      isContested: ranking.isContested,
      pin,
    },
    before: assertions,
    assertions: [],
    withdrawn: [],
    repriced: [],
    marked,
    ...(attached.length === 0 ? {} : { attached }),
  }

  function settle({ newest, state }: ClaimEntry, content: RankedContent, isWinner: boolean): void {
    // An archived entry stays so, also when its content wins. A deleted one was stated again since: a deletion withdraws what was stated.
    const status = state.status === 'archived' ? 'archived' : isWinner ? 'live' : 'superseded'
    const text = state.text ?? textOf(content)
    moveEntry(newest, { text: text && { ...text, trust: content.trust }, status }, moves, options)
  }

  function move({ newest, state }: ClaimEntry, status: string): void {
    if (endAgain(newest, state.status, moves, options)) return
    moveEntry(newest, { text: null, status }, moves, options)
  }

  /** Whether a content of the entry has a contained assertion: of an entry that lost its support, that is the cause. */
  function isOfContained(entryId: string): boolean {
    const keys = new Set(after.flatMap((item) => (item.entryId === entryId ? [item.contentKey] : [])))
    return after.some((item) => keys.has(item.contentKey) && isContained(item))
  }

  /** A content as its best assertion states it. */
  function textOf(content: RankedContent): EntryText | null {
    const source = sourceOf(content)
    if (source === undefined) return null
    const { origin } = source
    const { best } = content
    const classification = classifyContent(claim, content)
    return { content: best.content, tags: withSourceTag([], origin), origin, classification, trust: content.trust }
  }

  function sourceOf({ supporters }: RankedContent): ContentOrigin | undefined {
    return supporters.map(({ sourceEventId }) => origins.get(sourceEventId)).find((known) => known)
  }

  /** The entry of a content that was stated while it was contained. */
  function begin(content: RankedContent, isWinner: boolean): string | null {
    const text = textOf(content)
    if (text === null || text.classification === null) return null
    const entryId = options.entryId()
    moves.puts.push({
      ...text,
      classification: text.classification,
      memoryRef: `subject:${claim.subject}`,
      entryId,
      subject: claim.subject,
      expiresAt: null,
      readers: sourceOf(content)?.readers ?? null,
      salt: options.salt(),
      ...(isWinner ? {} : { endsAtOnce: 'superseded' }),
    })
    return entryId
  }
}

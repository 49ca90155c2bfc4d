import type { Trust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { firstUpTo } from '../../core/first-up-to.ts'
import { limits } from '../../core/limits.ts'
import { type Assertion, type ClaimRecord, isCounted } from '../../core/provenance/claim.ts'
import type { ClaimIdentity } from '../../core/provenance/claim-plan.ts'
import {
  countWriters,
  type RankedContent,
  resolveClaim,
  shownConfidence,
} from '../../core/provenance/resolve-conflict.ts'
import type { Writer } from '../../core/provenance/writer.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { planClaims, toChange } from './plan-claims.ts'
import { readableContents, readablePage } from './readable-claims.ts'
import { trustRulesFor } from './trust-rules.ts'

/** A claim with its contents, the services that stated them, and the winner. */
export type ClaimView = {
  readonly id: string
  readonly subject: string
  readonly category: string
  readonly claimKey: string | null
  readonly status: 'settled' | 'contested' | 'pinned' | 'open'
  readonly winner: string | null
  readonly pin: {
    readonly memoryId: string | null
    readonly actor: string
    readonly reason: string
    readonly at: string
  } | null
  /** One page of contents, best first. */
  readonly contents: readonly ContentView[]
  /** The cursor of the next page of contents. Missing on the last page. */
  readonly contentsCursor?: string
}

type ContentView = {
  readonly memoryId: string | null
  readonly content: string
  readonly status: 'active' | 'superseded' | 'buffered'
  readonly priority: number
  readonly observedAt: string
  readonly confidence: number
  /** The number of source events. */
  readonly sources: number
  /** The number of different writers; assertions without a writer count by key. */
  readonly writers: number
  readonly services: readonly string[]
  readonly trust: Trust
}

/**
 * Lists claims ordered by id: of one subject or all, contested or not. If their contents are long there are fewer than the limit: those
 * of a page (`claimsOfPage`), and at least one more.
 */
export async function listClaims(
  tenant: Tenant,
  query: { subject: string | null; isContested: boolean | null; after: string | null; limit: number },
): Promise<readonly ClaimView[]> {
  const { after, limit, ...filter } = query
  return readablePage(
    { after, limit },
    (range) => tenant.storage.provenance.claims({ tenantId: tenant.id, ...filter, ...range }),
    ({ claimId }) => claimId,
    async (claim) => {
      const view = await toView(tenant, claim)
      return tenant.reader !== null && filter.isContested === true && view?.status !== 'contested' ? null : view
    },
    (shown) => claimsOfPage(shown).length < shown.length,
  )
}

/** The first claims up to a number of characters of their contents: a claim has up to a hundred contents of 64 KB. */
export function claimsOfPage(claims: readonly ClaimView[]): readonly ClaimView[] {
  return firstUpTo(claims, ({ contents }) => contents.reduce((sum, { content }) => sum + content.length, 0))
}

/** Which page of a claim's contents to return. */
export type ContentsPage = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/** Reads one claim; an unknown id is refused with `claim_not_found`. */
export async function getClaim(tenant: Tenant, claimId: string, page: ContentsPage = {}): Promise<ClaimView> {
  const view = await toView(tenant, await loadClaimOrFail(tenant, claimId), page)
  if (view === null) throw noSuchClaim()
  return view
}

async function loadClaimOrFail(tenant: Tenant, claimId: string): Promise<ClaimRecord> {
  const claim = claimId.length > 64 ? null : await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) throw noSuchClaim()
  return claim
}

function noSuchClaim(): ColophonError {
  return new ColophonError('claim_not_found', 'There is no such claim.')
}

/**
 * The claim as the reader may see it: made of the contents that it may read. If the winner is not one of them, the claim has none for
 * this reader. Null when it may read none of the contents.
 */
async function toView(tenant: Tenant, claim: ClaimRecord, page: ContentsPage = {}): Promise<ClaimView | null> {
  const assertions = await tenant.storage.provenance.assertions(tenant.id, claim.claimId)
  const rules = await trustRulesFor(tenant, assertions)
  const all = resolveClaim(assertions, claim.pin, rules)
  const contents = await readableContents(tenant, all.contents)
  if (contents.length === 0 && tenant.reader !== null) return null
  const isAll = contents.length === all.contents.length
  const winner = all.winner !== null && contents.includes(all.winner) ? all.winner : null
  const isContested = all.isContested && (isAll || isContestedAmong(contents, rules))
  const pinned = contents.find(({ contentKey }) => contentKey === claim.pin?.contentKey)
  const pin = isAll || pinned !== undefined ? claim.pin : null
  return {
    id: claim.claimId,
    subject: claim.subject,
    category: claim.category,
    claimKey: claim.claimKey,
    status: pin ? 'pinned' : isContested ? 'contested' : winner ? 'settled' : 'open',
    winner: isAll || winner !== null ? claim.winner : null,
    pin: pin && {
      memoryId: pinned?.entryId ?? null,
      actor: pin.actor,
      reason: pin.reason,
      at: new Date(pin.at).toISOString(),
    },
    ...contentsOf(contents, winner, page),
  }
}

/** Whether the contents that the reader may see contest the claim without the others. */
function isContestedAmong(contents: readonly RankedContent[], rules: Parameters<typeof resolveClaim>[2]): boolean {
  return resolveClaim(
    contents.flatMap(({ supporters }) => supporters),
    null,
    rules,
  ).isContested
}

/** One page of contents. A claim can have any number of them. The page begins after the content that the cursor names. */
function contentsOf(
  contents: readonly RankedContent[],
  winner: RankedContent | null,
  { limit = 0, cursor }: ContentsPage,
): Pick<ClaimView, 'contents' | 'contentsCursor'> {
  const from = cursor === undefined ? 0 : contents.findIndex(({ contentKey }) => contentKey === cursor) + 1
  if (cursor !== undefined && from === 0) throw invalid('cursor', 'is not of this claim, or its content was deleted')
  const max = limits.claimContentsPageMax
  const shown = contents.slice(from, from + Math.min(limit > 0 ? limit : max, max))
  const last = shown.at(-1)
  const isMore = from + shown.length < contents.length
  return {
    contents: shown.map((content) => toContentView(content, content === winner)),
    ...(isMore && last ? { contentsCursor: last.contentKey } : {}),
  }
}

function toContentView({ best, entryId, supporters, isKept, trust }: RankedContent, isWinner: boolean): ContentView {
  return {
    memoryId: entryId,
    content: best.content,
    status: isWinner ? 'active' : isKept ? 'superseded' : 'buffered',
    priority: best.priority,
    observedAt: new Date(best.observedAt).toISOString(),
    confidence: shownConfidence(supporters),
    sources: new Set(supporters.map(({ sourceEventId }) => sourceEventId)).size,
    writers: countWriters(supporters),
    services: [...new Set(supporters.flatMap(({ service }) => (service === null ? [] : [service])))].sort(),
    trust,
  }
}

export type ClaimDecision = {
  readonly memoryId?: string | null | undefined
  readonly reason: string
  readonly unpin?: boolean | undefined
}

/** Pins a memory as the winner of its claim, by decision of a person, until it is unpinned. */
export async function pinClaim(
  tenant: Tenant,
  claimId: string,
  { memoryId, reason, unpin = false }: ClaimDecision,
  options: WriteOptions = {},
): Promise<{ readonly claim: ClaimView; readonly repeated: boolean }> {
  const repeated = await decideAndCommit(async () => {
    const claim = await loadClaimOrFail(tenant, claimId)
    const assertions = await tenant.storage.provenance.assertions(tenant.id, claimId)
    const actor = options.actor ?? tenant.engine.actor
    const pin = unpin ? null : toPin(assertions, memoryId ?? undefined, reason, actor, tenant.now())
    const plans = await planClaims(tenant, [{ slot: slotOfClaim(claim), change: { pin } }])
    const call = { operation: 'claim.resolve', claimId, memoryId: memoryId ?? null, reason, unpin }
    const kind = unpin ? 'claim.unpinned' : 'claim.pinned'
    return (await tenant.commit({ kind, ...toChange(plans) }, { ...options, call })).repeated
  })
  return { claim: await getClaim(tenant, claimId), repeated }
}

function toPin(
  assertions: readonly Assertion[],
  memoryId: string | undefined,
  reason: string,
  actor: string,
  at: number,
) {
  if (memoryId === undefined) throw invalid('memoryId', 'is needed, unless unpin is true')
  const chosen = assertions.find((item) => item.entryId === memoryId && isCounted(item))
  if (!chosen) throw invalid('memoryId', 'must name a memory of this claim')
  return { contentKey: chosen.contentKey, actor, reason, at }
}

export function slotOfClaim({ claimId, subject, category, claimKey }: ClaimRecord): ClaimIdentity {
  return { claimId, subject, category, claimKey }
}

const scanPage = 200

/** Every claim with an assertion of one of these writers. */
export async function* claimsOfServices(tenant: Tenant, writers: readonly Pick<Writer, 'serviceKey'>[]) {
  const services = new Set<string | null>(writers.map(({ serviceKey }) => serviceKey))
  for await (const found of allClaims(tenant))
    if (found.assertions.some((item) => services.has(item.service))) yield found
}

/** Every claim with its assertions. */
export async function* allClaims(tenant: Tenant) {
  for (let after: string | null = null; ; ) {
    const page: readonly ClaimRecord[] = await tenant.storage.provenance.claims({
      tenantId: tenant.id,
      subject: null,
      isContested: null,
      after,
      limit: scanPage,
    })
    for (const claim of page)
      yield { claim, assertions: await tenant.storage.provenance.assertions(tenant.id, claim.claimId) }
    after = page.at(-1)?.claimId ?? null
    if (after === null) return
  }
}

import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { sourceOf } from '../../core/provenance/explain-resolution.ts'
import { withPriority } from '../../core/provenance/plan-claim.ts'
import { type RankedContent, resolveClaim } from '../../core/provenance/resolve-conflict.ts'
import { type AuthorityRules, repricingsOf, type Writer } from '../../core/provenance/writer.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { claimsOfServices } from './claims.ts'
import { reresolveJob } from './reresolve.ts'
import { trustRulesFor } from './trust-rules.ts'
import { changedWriter, listWriters, loadWriters, toRecord } from './writers.ts'

/** New authority rules of one writer; without rules, its current ones. */
export type AuthorityDraft = { readonly writerId: string; readonly rules?: AuthorityRules | undefined }

/** A content, who stated it, and with which priority. */
export type PreviewContent = { readonly content: string; readonly source: string; readonly priority: number }

type PreviewClaim = { readonly claimId: string; readonly subject: string; readonly claimKey: string | null }

export type AuthorityPreview = {
  /** Claims of these writers. */
  readonly claims: number
  /** Claims that would have another winner. */
  readonly changed: number
  /** Claims that would become contested. */
  readonly contested: number
  /** Claims that a pin keeps as they are, whatever the priorities. */
  readonly pinned: number
  readonly changes: readonly (PreviewClaim & {
    readonly from: string | null
    readonly to: string | null
    readonly before: PreviewContent | null
    readonly after: PreviewContent | null
  })[]
  readonly contests: readonly (PreviewClaim & { readonly contents: readonly PreviewContent[] })[]
}

/** What would become of claims under other authority rules of several writers. Stores nothing. */
export async function previewAuthority(tenant: Tenant, drafts: readonly AuthorityDraft[]): Promise<AuthorityPreview> {
  const known = await listWriters(tenant)
  const writers = drafts.map(({ writerId, rules }): Writer => {
    const writer = writerIn(known, writerId)
    return { ...writer, authorityRules: rules ?? writer.authorityRules }
  })
  const preview = { claims: 0, changed: 0, contested: 0, pinned: 0 }
  const changes: AuthorityPreview['changes'][number][] = []
  const contests: AuthorityPreview['contests'][number][] = []
  for await (const { claim, assertions } of claimsOfServices(tenant, writers)) {
    preview.claims += 1
    const repriced = repricingsOf(writers, claim.category)
    const next = assertions.map((item) => withPriority(item, repriced))
    const ranking = resolveClaim(next, claim.pin, await trustRulesFor(tenant, next))
    const named = { claimId: claim.claimId, subject: claim.subject, claimKey: claim.claimKey }
    const isRepriced = next.some(({ priority }, index) => priority !== assertions[index]?.priority)
    if (claim.pin !== null && isRepriced) preview.pinned += 1
    const to = ranking.winner?.entryId ?? null
    // The lists are bounded; the counts are complete.
    if (ranking.isContested && !claim.isContested) {
      preview.contested += 1
      const contents = ranking.contents.slice(0, 2).map(toContent)
      if (contests.length < limits.previewChangesMax) contests.push({ ...named, contents })
    }
    if (to === claim.winner) continue
    preview.changed += 1
    if (changes.length >= limits.previewChangesMax) continue
    const rules = await trustRulesFor(tenant, assertions)
    const before = resolveClaim(assertions, claim.pin, rules).winner
    changes.push({
      ...named,
      from: claim.winner,
      to,
      before: before && toContent(before),
      after: ranking.winner && toContent(ranking.winner),
    })
  }
  return { ...preview, changes, contests }
}

function toContent(content: RankedContent): PreviewContent {
  const { best } = content
  return { content: best.content.slice(0, limits.timelineTextMax), source: sourceOf(content), priority: best.priority }
}

function writerIn(writers: readonly Writer[], writerId: string): Writer {
  const writer = writers.find((known) => known.writerId === writerId)
  if (writer === undefined) throw new ColophonError('writer_not_found', 'There is no such writer.')
  return writer
}

export type AuthorityChanged = {
  readonly writers: readonly Writer[]
  /** The job that decides the claims of these writers again. */
  readonly jobId: string
  readonly repeated: boolean
}

/** Changes the authority rules of several writers in one commit, with the job that decides their claims again: all or none. */
export function changeAuthority(
  tenant: Tenant,
  drafts: readonly { readonly writerId: string; readonly rules: AuthorityRules }[],
  options: WriteOptions = {},
): Promise<AuthorityChanged> {
  const ids = drafts.map(({ writerId }) => writerId)
  if (new Set(ids).size < ids.length) throw invalid('writers', 'must name each writer once')
  return decideAndCommit(async () => {
    const known = await loadWriters(tenant)
    const stored = known.map(({ writer }) => writer)
    const actor = options.actor ?? tenant.engine.actor
    const admin = await Promise.all(
      drafts.map(async ({ writerId, rules }) => {
        const writer = writerIn(stored, writerId)
        const revision = known.find((item) => item.writer === writer)?.revision ?? 0
        return toRecord(await changedWriter(tenant, writer, { authorityRules: rules }, actor), revision)
      }),
    )
    const job = reresolveJob(tenant, ids)
    const call = { operation: 'writers.authority', drafts }
    const change = { kind: 'admin.writer.changed', admin, jobs: [job] } as const
    const { outcome, repeated } = await tenant.commit(change, { ...options, call })
    tenant.engine.workers.wake(job.kind)
    const now = await listWriters(tenant)
    return { writers: ids.map((id) => writerIn(now, id)), jobId: outcome.jobs[0] ?? job.jobId, repeated }
  })
}

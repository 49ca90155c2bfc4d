import type { z } from 'zod'
import { changeAuthority, previewAuthority } from '../../../app/provenance/authority.ts'
import { claimsOfPage, getClaim, listClaims, pinClaim } from '../../../app/provenance/claims.ts'
import { previewExtraction } from '../../../app/provenance/ingest.ts'
import { subjectTimeline } from '../../../app/provenance/timeline.ts'
import { limits } from '../../../core/limits.ts'
import { sealCursor } from '../../../http/cursors.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { toMessage } from '../../provenance/read-add.ts'
import { readRules, toWriterView } from '../../provenance/views/writers.ts'
import {
  AuthorityChanged,
  AuthorityDraft,
  Claim,
  ClaimPage,
  ClaimQuery,
  ClaimResolve,
  ContentsQuery,
  ExtractPreview,
  ExtractResult,
  PreviewResult,
  RulesPreview,
} from '../schemas/claims.ts'
import { Timeline, TimelineQuery } from '../schemas/timeline.ts'

const base = '/v1/host/colophon/claims'
const common = { tag: 'claims' } as const

/** Claims: what sources state about the same thing, and which content wins. */
export const claimRoutes = [
  route('listClaims', `GET ${base}`, 'memory:read', {
    ...common,
    summary: 'List claims',
    description:
      'Claims with every content that sources stated. `status=contested` lists those that need a decision. Of long contents a page has fewer claims than its limit.',
    query: ClaimQuery,
    responses: { 200: ClaimPage },
    async handler({ tenant, query }) {
      const filter = { subject: query.subject ?? null, isContested: query.status === 'contested' ? true : null }
      const read = (range: { after: string | null; limit: number }) => listClaims(tenant, { ...filter, ...range })
      const { items, next } = await page(query, 'id', read, limits.pageEntriesMax, claimsOfPage)
      return { claims: items.map((claim) => sealContents(tenant.id, claim)), ...next }
    },
  }),
  route('getClaim', `GET ${base}/{id}`, 'memory:read', {
    ...common,
    summary: 'Get a claim',
    description:
      'The contents of one claim, best first, with their sources and priorities, and the winner. More than 100 contents are paged.',
    query: ContentsQuery,
    responses: { 200: Claim },
    handler: async ({ tenant, params, query: { limit, cursor } }) =>
      sealContents(tenant.id, await getClaim(tenant, params.id, { limit, cursor })),
  }),
  route('getTimeline', 'GET /v1/host/colophon/timeline', 'memory:read', {
    ...common,
    summary: 'Get the timeline of a subject',
    description:
      'What was current about a subject over time: for each claim the contents that won, with their writers and instants. Contents are cut.',
    query: TimelineQuery,
    responses: { 200: Timeline },
    async handler({ tenant, query: { subject, trustMin, ...query } }) {
      const read = (range: { after: string | null; limit: number }) =>
        subjectTimeline(tenant, { subject, trustMin, ...range })
      const { items, next } = await page(query, 'id', read, limits.timelineRowsMax)
      return { rows: items, ...next }
    },
  }),
  route('resolveClaim', `POST ${base}/{id}:resolve`, 'memory:admin', {
    ...common,
    summary: 'Resolve a claim',
    description: 'Pins one memory as the winner, whatever the priorities. `unpin` removes the pin.',
    body: ClaimResolve,
    responses: { 200: Claim },
    async handler({ tenant, params, body, write }) {
      const { claim, repeated } = await pinClaim(tenant, params.id, body, write)
      return respond(sealContents(tenant.id, claim), { repeated })
    },
  }),
  route('previewExtraction', 'POST /v1/host/colophon/extract:preview', 'memory:read', {
    ...common,
    summary: 'Preview extraction',
    description: 'The memories that would be extracted from messages, redacted. Nothing is stored.',
    isRead: true,
    body: ExtractPreview,
    responses: { 200: ExtractResult },
    async handler({ tenant, body, parts }) {
      const { extractor, candidates } = await previewExtraction(tenant, body.messages.map(toMessage), parts.stopping)
      return { extractor, candidates: candidates.map(({ claimKey, ...rest }) => ({ ...rest, claim_key: claimKey })) }
    },
  }),
  route('previewWriter', 'POST /v1/host/colophon/writers/{id}:preview', 'memory:admin', {
    summary: 'Preview authority rules',
    description: 'The claims of the writer that would have another winner with other rules. Nothing is stored.',
    tag: 'writers',
    isRead: true,
    body: RulesPreview,
    responses: { 200: PreviewResult },
    handler: async ({ tenant, params, body: { authority_rules: rules } }) =>
      previewAuthority(tenant, [{ writerId: params.id, rules: rules && readRules(rules) }]),
  }),
  route('previewAuthority', 'POST /v1/host/colophon/authority:preview', 'memory:admin', {
    summary: 'Preview the authority of several writers',
    description:
      'What would become of the claims of these writers with other rules: which get another winner, become contested, or are pinned. Nothing is stored.',
    tag: 'writers',
    isRead: true,
    body: AuthorityDraft,
    responses: { 200: PreviewResult },
    handler: async ({ tenant, body }) => previewAuthority(tenant, readAuthority(body)),
  }),
  route('changeAuthority', 'POST /v1/host/colophon/authority', 'memory:admin', {
    summary: 'Change the authority of several writers',
    description:
      'Stores the rules of all these writers in one commit, with a job that decides their claims again. If one is refused, none is stored.',
    tag: 'writers',
    body: AuthorityDraft,
    responses: { 202: AuthorityChanged },
    async handler({ tenant, body, write }) {
      const { writers, jobId, repeated } = await changeAuthority(tenant, readAuthority(body), write)
      return respond({ writers: writers.map(toWriterView), jobId }, { repeated })
    },
  }),
]

function readAuthority({ writers }: z.output<typeof AuthorityDraft>) {
  return writers.map(({ id, authority_rules }) => ({ writerId: id, rules: readRules(authority_rules) }))
}

/** The cursor of the contents of a claim is one of `getClaim`, also in lists. */
function sealContents<C extends { readonly id: string; readonly contentsCursor?: string }>(
  tenantId: string,
  claim: C,
): C {
  if (claim.contentsCursor === undefined) return claim
  const place = { operation: `GET ${base}/{id}`, tenantId, params: { id: claim.id } }
  return { ...claim, contentsCursor: sealCursor(place, claim.contentsCursor) }
}

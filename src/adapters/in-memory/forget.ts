import type { EntryVersion } from '../../core/entries/entry.ts'
import {
  type Fence,
  isAssertionFenced,
  isBlockedByForget,
  isClaimFenced,
  isEventFenced,
  isFenced,
} from '../../core/forget/fence.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { confidenceKeptMin } from '../../core/provenance/resolve-conflict.ts'
import { erasedSource, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { FencedVersion, ForgetStore } from '../../ports/forget-store.ts'
import type { TenantState } from './tenant-state.ts'
import { vectorKey } from './vectors.ts'

function tagsOf(state: TenantState, entryId: string): string[] {
  return allVersions(state)
    .filter((row) => row.entryId === entryId)
    .flatMap((row) => row.tags)
}

function allVersions(state: TenantState): EntryVersion[] {
  return [...state.versions.values()].flat()
}

/** What every read but those of a forget may see. */
export function isShown(state: TenantState, version: EntryVersion): boolean {
  return state.fences.length === 0 || !isFenced(version, state.fences, () => tagsOf(state, version.entryId))
}

export function shownEvent(state: TenantState, event: SourceEventRecord): SourceEventRecord {
  if (event.isErased || isEventFenced(event, state.fences)) return erasedSource(event)
  return isBlockedByForget(event, state.fences) ? { ...event, isHeldUp: true } : event
}

export function shownAssertion(state: TenantState, assertion: Assertion): Assertion {
  const isHidden = isAssertionFenced(assertion, state.fences, (entryId) => tagsOf(state, entryId))
  const event = state.sourceEvents.get(assertion.sourceEventId)
  const isStatement = event?.infer === false && assertion.entryId !== null && assertion.confidence < confidenceKeptMin
  return {
    ...assertion,
    actor: event?.actor || null,
    ...(isStatement ? { isKeptAlone: true } : {}),
    ...(isHidden ? { content: '' } : {}),
  }
}

export function modelForget(tenants: Map<string, TenantState>, use: () => void): ForgetStore {
  const stateOf = (tenantId: string): TenantState | undefined => {
    use()
    return tenants.get(tenantId)
  }
  const fenced = (tenantId: string, fences: readonly Fence[], among: (version: EntryVersion) => boolean) => {
    const state = stateOf(tenantId)
    if (!state) return []
    return allVersions(state)
      .filter(among)
      .filter((version) => isFenced(version, fences, () => tagsOf(state, version.entryId)))
      .sort(byIdAndVersion)
      .map(toFencedVersion)
  }
  return {
    async fences(tenantId) {
      return [...(stateOf(tenantId)?.fences ?? [])]
    },
    async scan({ tenantId, fences, after, limit }) {
      const all = stateOf(tenantId) ? allVersions(tenants.get(tenantId) as TenantState) : []
      const page = all
        .sort(byIdAndVersion)
        .filter((row) => after === null || byIdAndVersion(row, after) > 0)
        .slice(0, limit)
      const last = page.at(-1)
      const next = last && page.length === limit ? { entryId: last.entryId, version: last.version } : null
      return { versions: fenced(tenantId, fences, (version) => page.includes(version)), next }
    },
    async among(tenantId, fences, entryIds) {
      return fenced(tenantId, fences, ({ entryId }) => entryIds.includes(entryId))
    },
    async sources({ tenantId, fences, after, limit }) {
      return [...(stateOf(tenantId)?.sourceEvents.values() ?? [])]
        .filter((event) => !event.isErased && isEventFenced(event, fences))
        .filter(({ sourceEventId }) => after === null || sourceEventId > after)
        .sort((a, b) => (a.sourceEventId < b.sourceEventId ? -1 : 1))
        .slice(0, limit)
        .map(({ sourceEventId, service, eventId, jobId, messages }) => ({
          sourceEventId,
          service,
          eventId,
          jobId,
          hasMessages: messages !== null,
        }))
    },
    async claims({ tenantId, fences, after, limit }) {
      const state = stateOf(tenantId)
      return [...(state?.claims.values() ?? [])]
        .filter((claim) =>
          isClaimFenced(
            claim,
            fences.filter((fence) => claim.updatedPosition <= fence.position),
          ),
        )
        .filter(({ claimId }) => after === null || claimId > after)
        .sort((a, b) => (a.claimId < b.claimId ? -1 : 1))
        .slice(0, limit)
        .map((claim) => ({
          claim,
          assertions: state?.assertions.filter(({ claimId }) => claimId === claim.claimId).length ?? 0,
        }))
    },
    async runsNaming({ tenantId, texts, after, limit }) {
      const state = stateOf(tenantId)
      const page = [...(state?.runs.values() ?? [])]
        .filter(({ run }) => after === null || run.runId > after)
        .sort((a, b) => (a.run.runId < b.run.runId ? -1 : 1))
        .slice(0, limit)
      const wanted = texts.map((text) => JSON.stringify(text))
      const isNamed = ({ run: { text, facts }, events }: (typeof page)[number]) => {
        const stored = JSON.stringify([text, facts, events])
        return wanted.some((text) => stored.includes(text))
      }
      const next = page.length === limit ? (page.at(-1)?.run.runId ?? null) : null
      return { runIds: page.filter(isNamed).map(({ run }) => run.runId), next }
    },
    async contents(tenantId, entryIds) {
      const state = stateOf(tenantId)
      return (state ? allVersions(state) : []).filter((row) => entryIds.includes(row.entryId)).map((row) => row.content)
    },
    async outcomes({ tenantId, after, limit }) {
      return [...(stateOf(tenantId)?.outcomes ?? [])]
        .map(([key, { outcome }]) => ({ key, outcome }))
        .filter(({ key }) => after === null || key > after)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit)
    },
    async leftovers(tenantId, fences) {
      const state = stateOf(tenantId)
      const entries = fenced(tenantId, fences, () => true)
      const refs = fences.flatMap(({ kind, value }) => (kind === 'ref' ? [value] : []))
      const count = (found: boolean[]) => found.filter(Boolean).length
      return {
        entries: entries.length,
        tags: entries.reduce((sum, { tags }) => sum + tags, 0),
        sourceEvents: count(
          [...(state?.sourceEvents.values() ?? [])].map((event) => !event.isErased && isEventFenced(event, fences)),
        ),
        assertions: count(
          state?.assertions.map((item) => isAssertionFenced(item, fences, (id) => tagsOf(state, id))) ?? [],
        ),
        claims: count(
          [...(state?.claims.values() ?? [])].map(
            (claim) => isClaimFenced(claim, fences) && fences.some((f) => claim.updatedPosition <= f.position),
          ),
        ),
        auditRefs: count(state?.audit.map((row) => row.refs?.some((ref) => refs.includes(ref)) ?? false) ?? []),
        // The index of the model is made of the versions themselves.
        searchRows: 0,
        vectors: orphanVectors(state).length,
      }
    },
    async removeOrphans(tenantId, limit) {
      const state = stateOf(tenantId)
      const orphans = orphanVectors(state).slice(0, limit)
      for (const key of orphans) state?.vectors.delete(key)
      return orphans.length
    },
    async purge() {
      return 'not-durable'
    },
  }
}

function orphanVectors(state: TenantState | undefined): string[] {
  const known = new Set(state ? allVersions(state).map(vectorKey) : [])
  return [...(state?.vectors.keys() ?? [])].filter((key) => !known.has(key))
}

function toFencedVersion({
  memoryRef,
  entryId,
  version,
  classification,
  tags,
  readers,
  origin,
}: EntryVersion): FencedVersion {
  const sourceEventId = ('sourceEventId' in origin ? origin.sourceEventId : undefined) ?? null
  const claimId = classification?.claimId ?? null
  return { memoryRef, entryId, version, claimId, sourceEventId, tags: tags.length, readers }
}

type Row = { readonly entryId: string; readonly version: number }

function byIdAndVersion(a: Row, b: Row): number {
  return a.entryId === b.entryId ? a.version - b.version : a.entryId < b.entryId ? -1 : 1
}

import { shortSha256 } from '../../core/audit/digest.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { redactValue } from '../../core/redaction/redaction.ts'
import type { NewVector, RecordedPlace, VectorSpace } from '../../ports/vector-store.ts'
import { pause } from '../event-loop.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { UpkeepPass } from '../retention/small-steps.ts'
import type { Tenant } from '../tenant.ts'
import type { EmbeddingService } from './embedding-service.ts'

export type EmbedResult = {
  readonly embedded: number
  /** Texts whose vector was stored already. */
  readonly reused: number
  /** Deleted vectors of other models. */
  readonly removed: number
}

/** The embedder now returns vectors of another length. */
class SpaceChanged extends Error {
  override readonly name = 'SpaceChanged'
}

/**
 * Makes vectors for all versions that were recorded since the last pass; with `madeSince`, for all versions without a vector
 * made since then. Progress is stored after each page, so an interrupted pass resumes where it stopped.
 */
export async function embedTexts(
  tenant: Tenant,
  pass: UpkeepPass & { readonly madeSince?: number },
): Promise<EmbedResult> {
  const counts = { embedded: 0, reused: 0, removed: 0 }
  const { embeddings } = tenant.host
  if (embeddings === null) return counts
  const parts = { tenant, embeddings, pass, counts }
  for (let tries = 1; ; tries++) {
    const space = await embeddings.space(pass.signal)
    try {
      while (!(await embedPending(parts, space)));
      await removeOthers(parts, space)
      return counts
    } catch (error) {
      if (!(error instanceof SpaceChanged) || tries >= limits.embedTriesMax) throw error
    }
  }
}

type Parts = {
  readonly tenant: Tenant
  readonly embeddings: EmbeddingService
  readonly pass: UpkeepPass & { readonly madeSince?: number }
  readonly counts: { embedded: number; reused: number; removed: number }
}

/** One pass over the pending versions. False when an earlier text was rewritten meanwhile: the pass must be repeated from there. */
async function embedPending(parts: Parts, space: VectorSpace): Promise<boolean> {
  const { tenant, pass } = parts
  const { vectors } = tenant.storage
  let reached = await vectors.begin(tenant.id, space)
  const isRebuild = pass.madeSince !== undefined
  let after: RecordedPlace = { recordedPosition: isRebuild ? 0 : reached + 1, entryId: '', version: 0 }
  let seen = reached
  for (;;) {
    pass.signal.throwIfAborted()
    const madeSince = pass.madeSince ?? 0
    const { versions, last } = await vectors.pending({
      ...{ tenantId: tenant.id, space, madeSince, after },
      limit: limits.embedPageVersionsMax,
    })
    for (let at = 0; at < versions.length; at += parts.embeddings.textsMax)
      await embedBatch(parts, space, versions.slice(at, at + parts.embeddings.textsMax))
    // The last position may continue on the next page, so it does not count as reached.
    const to = last === null ? seen : last.recordedPosition - 1
    if (to > reached) {
      if (!(await vectors.reach(tenant.id, space, reached, to))) return false
      reached = to
    }
    if (last === null) return true
    seen = last.recordedPosition
    after = last
  }
}

async function embedBatch(parts: Parts, space: VectorSpace, versions: readonly EntryVersion[]): Promise<void> {
  const { tenant, pass, counts } = parts
  if (versions.length === 0) return
  const { redaction } = await freshContext(tenant)
  const texts = await redaction.redact(({ scan }) =>
    versions.map(({ content }) => redactValue(content, scan).slice(0, limits.embedTextCharactersMax)),
  )
  const hashes = texts.map((text) => shortSha256(text))
  const query = { tenantId: tenant.id, space, madeSince: pass.madeSince ?? 0, contentHashes: [...new Set(hashes)] }
  const known = new Map(await tenant.storage.vectors.known(query))
  const missing = [...new Map(hashes.map((hash, at) => [hash, texts[at] ?? ''])).entries()].filter(
    ([hash]) => !known.has(hash),
  )
  if (missing.length > 0) {
    const made = await embedWithRetry(
      parts,
      missing.map(([, text]) => text),
    )
    if (made.space.dimensions !== space.dimensions) throw new SpaceChanged()
    missing.forEach(([hash], at) => {
      const vector = made.vectors[at]
      if (vector) known.set(hash, vector)
    })
  }
  const vectors = versions.flatMap((version, at): NewVector[] => {
    const contentHash = hashes[at] ?? ''
    const vector = known.get(contentHash)
    return vector ? [{ ...version, contentHash, vector }] : []
  })
  await tenant.storage.vectors.save(tenant.id, space, tenant.now(), vectors)
  counts.embedded += missing.length
  counts.reused += versions.length - missing.length
  pass.onProgress?.(counts)
}

/** Retries with backoff while the embedder is unavailable for a moment. A longer outage fails the attempt of the job. */
async function embedWithRetry({ embeddings, pass }: Parts, texts: readonly string[]) {
  for (let tries = 1; ; tries++) {
    try {
      return await embeddings.embed(texts, pass.signal)
    } catch (error) {
      if (!isColophonError(error, 'model_unavailable') || tries >= limits.embedTriesMax) throw error
      await pause(limits.embedRetryMs * 4 ** (tries - 1))
    }
  }
}

async function removeOthers({ tenant, pass, counts }: Parts, space: VectorSpace): Promise<void> {
  for (;;) {
    pass.signal.throwIfAborted()
    const removed = await tenant.storage.vectors.removeOthers(tenant.id, space, limits.upkeepStepRowsMax)
    counts.removed += removed
    if (removed < limits.upkeepStepRowsMax) return
  }
}

import { toInstant } from '../../core/check.ts'
import { cleanSources } from '../../core/compaction/carry-forward.ts'
import type { Merge } from '../../core/consolidation/consolidation.ts'
import { statedAt } from '../../core/consolidation/consolidation-item.ts'
import {
  type PairAnswer,
  pairQuestion,
  readPairAnswer,
  reasonOfAnswer,
} from '../../core/consolidation/pair-question.ts'
import type { ProposedPair } from '../../core/consolidation/propose-pairs.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import type { ChatModel } from '../../ports/chat-model.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { findAuthor } from './find-writer.ts'

/** What a model was asked in one pass, as the run of the pass records it: ids and answers, no text. */
export type Judgement = {
  readonly provider: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly answers: readonly { readonly olderId: string; readonly newerId: string; readonly answer: PairAnswer }[]
  /** Questions without an answer that can be used. */
  readonly unanswered: number
}

/** The judgement, and the merges that follow from it. */
export type Judged = { readonly judgement: Judgement; readonly merges: readonly Merge[] }

/**
 * Asks a model about pairs, one by one. An entry that is part of a merge is not asked about again in this pass. A model that fails is asked
 * no more: what it has answered before counts, and the pass ends as it would without it.
 */
export async function askModel(
  tenant: Tenant,
  model: ChatModel,
  pairs: readonly ProposedPair[],
  signal: AbortSignal,
): Promise<Judged> {
  const merges: Merge[] = []
  const merged = new Set<string>()
  const answers: Judgement['answers'][number][] = []
  let [inputTokens, outputTokens, unanswered] = [0, 0, 0]
  for (const pair of pairs) {
    signal.throwIfAborted()
    const [olderId, newerId] = [pair.older.entryId, pair.newer.entryId]
    if (merged.has(olderId) || merged.has(newerId)) continue
    const loaded = await loadPair(tenant, pair)
    const request = loaded === null ? null : await questionOf(tenant, loaded)
    if (loaded === null || request === null) continue
    const response = await model.complete(request, signal).catch((error: unknown) => {
      if (signal.aborted || !isModelFailure(error)) throw error
      return null
    })
    const answer = response === null ? null : readPairAnswer(response)
    inputTokens += response?.usage.inputTokens ?? 0
    outputTokens += response?.usage.outputTokens ?? 0
    if (answer === null) unanswered += 1
    else answers.push({ olderId, newerId, answer })
    if (response === null) break
    const reason = answer === null ? null : reasonOfAnswer[answer]
    if (reason === null || !(await mayFollow(tenant, reason, loaded))) continue
    merged.add(olderId).add(newerId)
    const sources = [pair.older, pair.newer].map(({ entryId, version }) => ({ entryId, version }))
    merges.push({ reason, kept: newerId, sources, model: model.model })
  }
  const { provider, model: name } = model
  return { judgement: { provider, model: name, inputTokens, outputTokens, answers, unanswered }, merges }
}

type LoadedPair = { readonly older: EntryVersion; readonly newer: EntryVersion }

/** The entries of a pair as they are stored; null if one of them has changed since it was proposed. */
async function loadPair(tenant: Tenant, { older, newer }: ProposedPair): Promise<LoadedPair | null> {
  const found = await tenant.storage.provenance.newestVersions(tenant.id, [older.entryId, newer.entryId])
  const [first, second] = [older, newer].map(({ entryId, version }) =>
    found.find((entry) => entry.entryId === entryId && entry.version === version && entry.endedPosition === null),
  )
  return first === undefined || second === undefined ? null : { older: first, newer: second }
}

/** The question, redacted with the current secrets; null if the tenant rejects texts that have one. */
async function questionOf(tenant: Tenant, { older, newer }: LoadedPair) {
  const { redaction } = await freshContext(tenant)
  try {
    const [first = '', second = ''] = await redaction.redact(({ scan }) =>
      cleanSources([older.content, newer.content], scan, redaction.policy),
    )
    const asked = (text: string, entry: EntryVersion) => ({ text, statedAt: toInstant(statedAt(entry)) })
    return pairQuestion({ older: asked(first, older), newer: asked(second, newer) })
  } catch (error) {
    if (isColophonError(error, 'compaction_redaction_failed')) return null
    throw error
  }
}

/** A correction counts for what the same writer said, as in the rules: no text can talk a model into ending the text of another. */
async function mayFollow(tenant: Tenant, reason: Merge['reason'], { older, newer }: LoadedPair): Promise<boolean> {
  if (reason !== 'model-corrects') return true
  return (await findAuthor(tenant, older)) === (await findAuthor(tenant, newer))
}

function isModelFailure(error: unknown): boolean {
  return isColophonError(error, 'model_unavailable') || isColophonError(error, 'model_failed')
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Features } from '../../src/core/search/features.ts'
import { rank } from '../../src/core/search/rank.ts'
import { knowledgeOf, type RelevanceSignals, signalsOf } from '../../src/core/search/relevance.ts'
import type { ScoreChanges } from '../../src/core/search/rerank.ts'
import { createCoreScope, type Nearness, searchCore } from './core-search.ts'
import { documentsSettings, loadDocuments } from './sets/documents.ts'
import { holds, loadGate } from './sets/gate.ts'
import { loadLocomo, loadStrangers } from './sets/locomo.ts'
import { loadMixed, loadPackages, loadSessions } from './sets/long-texts.ts'
import { loadPrecision, type Verdict } from './sets/precision.ts'
import type { RecallQuestion, RecallSet } from './sets/set.ts'

/** One ranked text. */
export type Hit = {
  readonly id: string
  readonly features: Features
  readonly score: number
  readonly changes: ScoreChanges
  readonly signals: RelevanceSignals
  readonly bears: boolean
}

/** A question with its ranked texts, best first. */
export type Asked = { readonly set: RecallSet['key']; readonly question: RecallQuestion; readonly hits: readonly Hit[] }

export type LoadedSet = RecallSet & {
  readonly wanted?: ReadonlyMap<string, readonly string[]>
  readonly judge?: (id: string, returned: readonly string[]) => Verdict
}

/** The hits of each question that are kept: enough for every figure and for the ablations. */
const hitsMax = 100

/** The sets that are there, and the names of those that are not. */
export function loadSets(data: string, packages: string) {
  const absent: string[] = []
  const sets: LoadedSet[] = []
  for (const [file, load] of [
    ['locomo-dev.json', loadLocomo],
    ['locomo-dev.json', loadStrangers],
    ['precision-dev.json', loadPrecision],
    ['gate-dev.json', loadGate],
  ] as const) {
    if (existsSync(join(data, file))) sets.push(load(data))
    else if (!absent.includes(file)) absent.push(file)
  }
  sets.push(...documentsSettings.map((setting) => loadDocuments(packages, setting)))
  return { sets, absent }
}

/** Sets that only the relevance is fitted on and measured by: long texts, with many questions on which nothing bears. */
export function loadSilenceSets(data: string, packages: string, sets: readonly LoadedSet[]): LoadedSet[] {
  const foreign = sets.filter(({ key }) => key === 'locomo' || key === 'gate').flatMap(({ questions }) => questions)
  const sessions = existsSync(join(data, 'locomo-dev.json')) ? [loadSessions(data)] : []
  const sections = sets.find(({ key }) => key === 'documentsShort')
  const facts = sets.filter(({ key }) => key === 'precision')
  return [loadPackages(packages, foreign), ...sessions, ...facts.map((set) => loadMixed(set, sections))]
}

/** Asks every question of a set. */
export function collect(
  set: LoadedSet,
  nearnessOf?: (question: RecallQuestion) => Nearness,
  rankBy: typeof rank = rank,
): Asked[] {
  const scopes = new Map([...set.scopes].map(([key, texts]) => [key, createCoreScope(texts)]))
  return set.questions.map((question): Asked => {
    const scope = scopes.get(question.scope)
    if (scope === undefined) throw new Error(`${question.id}: there is no scope ${question.scope}`)
    const { query, statistics, ranked } = searchCore(scope, question, nearnessOf?.(question), rankBy)
    const known = knowledgeOf(query, statistics)
    const evidence = new Set(question.evidence)
    const hits = ranked.slice(0, hitsMax).map((scored, at): Hit => {
      const { id } = scored.candidate.row
      const signals = signalsOf(query, known, scored, ranked[0] ?? scored, at)
      return {
        id,
        features: scored.features,
        score: scored.score,
        changes: scored.changes,
        signals,
        bears: evidence.has(id),
      }
    })
    return { set: set.key, question, hits }
  })
}

/** How far the first turns of a list have what a member of a GateMem conversation wants: all of it, and which share. */
export function usefulness(set: LoadedSet, question: RecallQuestion, ranked: readonly string[]) {
  const texts = new Map(set.scopes.get(question.scope)?.map(({ id, text }) => [id, text]))
  const first = ranked.slice(0, 20).map((id) => texts.get(id) ?? '')
  const wanted = set.wanted?.get(question.id) ?? []
  const found = wanted.filter((each) => first.some((text) => holds(each, text)) || holds(each, first.join('\n'))).length
  return { complete: found === wanted.length ? 1 : 0, coverage: found / (wanted.length || 1) }
}

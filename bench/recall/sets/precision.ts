import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecallQuestion, RecallSet, Text } from './set.ts'

type Belief = {
  id: string
  user: string
  type: string
  scope: string
  name: string
  aliases: string[]
  content: string
  why: string
  at: string
  pinned?: boolean
  superseded_by?: string
  resolved?: boolean
  participants?: string[]
}
type Case = {
  id: string
  kind: string
  user: string
  scope: string[]
  query: string
  limit?: number
  expect?: string[]
  exclude?: string[]
  then?: { create?: Belief; update?: string; addAliases?: string[] }[]
}

/** PrecisionMemBench: short facts of several agents, and questions on which few of them or none bear. */
export function loadPrecision(folder: string): RecallSet & { readonly judge: Judge } {
  const data = JSON.parse(readFileSync(join(folder, 'precision-dev.json'), 'utf8')) as {
    beliefs: Belief[]
    cases: Case[]
    session: Case[]
  }
  const scopes = new Map<string, Text[]>()
  const questions: RecallQuestion[] = []
  const cases = new Map<string, Case>()
  const known = new Map(data.beliefs.map((belief) => [belief.id, belief]))
  const everything = new Map(known)
  const put = (stage: string) => {
    for (const user of new Set([...known.values()].map((belief) => belief.user)))
      scopes.set(`${stage} ${user}`, [...known.values()].filter((belief) => belief.user === user).flatMap(toText))
  }
  const ask = (stage: string, each: Case) => {
    if (each.query.trim() === '' || each.kind === 'structural') return
    const { id, kind, user, scope, query, expect = [] } = each
    questions.push({
      ...{ id, scope: `${stage} ${user}`, text: query, category: kind, agents: scope },
      evidence: expect.filter((one) => known.get(one)?.pinned !== true),
    })
    cases.set(id, each)
  }
  put('cases')
  for (const each of data.cases) ask('cases', each)
  for (const [turn, each] of data.session.entries()) {
    put(`turn${turn}`)
    if (each.kind === 'session') ask(`turn${turn}`, each)
    for (const { create, update, addAliases = [] } of each.then ?? []) {
      if (create) {
        known.set(create.id, create)
        everything.set(create.id, create)
      }
      const old = update === undefined ? undefined : known.get(update)
      if (old) known.set(old.id, { ...old, aliases: [...old.aliases, ...addAliases] })
    }
  }
  return {
    ...{ key: 'precision', name: 'PrecisionMemBench, development half', scopes, questions },
    judge: (id, returned) => judge(everything, cases.get(id) as Case, returned),
  }
}

/** How one case went; precision and recall are null where they do not apply. */
export type Verdict = { precision: number | null; recall: number | null; isExact: boolean; isEmpty: boolean }
type Judge = (id: string, returned: readonly string[]) => Verdict

function toText({ id, type, scope, name, aliases, content, why, at, superseded_by, resolved }: Belief): Text[] {
  if (superseded_by !== undefined || resolved) return []
  const text = [name, ...aliases, content, why].join(' ')
  const background = type === 'open_question' ? { isBackground: true } : {}
  return [{ id, text, observedAt: at, session: null, agent: scope, ...background }]
}

/** As the set's scorer: pinned facts are shown anyway, a relation brings its participants, and the room is limited. */
function judge(beliefs: ReadonlyMap<string, Belief>, asked: Case, returned: readonly string[]): Verdict {
  const { user, scope, limit = 20, expect, exclude = [] } = asked
  const isShown = (belief: Belief) => belief.user === user && scope.includes(belief.scope)
  const isPinned = (belief: Belief) =>
    belief.pinned === true &&
    isShown(belief) &&
    belief.type !== 'open_question' &&
    !belief.superseded_by &&
    !belief.resolved
  const pinned = [...beliefs.values()].filter(isPinned).length
  const shown = [...new Set(returned)].slice(0, limit).filter((id) => {
    const belief = beliefs.get(id)
    return !(belief && isPinned(belief))
  })
  for (const id of [...shown]) {
    for (const other of beliefs.get(id)?.participants ?? []) {
      const belief = beliefs.get(other)
      const isAdded = belief && isShown(belief) && belief.type !== 'open_question' && !isPinned(belief)
      if (isAdded && !shown.includes(other)) shown.push(other)
    }
  }
  const got = new Set(shown.slice(0, Math.max(0, limit - Math.min(pinned, limit))))
  const hits = (expect ?? []).filter((id) => got.has(id)).length
  const wanted = expect?.length ?? 0
  return {
    isExact: (expect === undefined || (hits === wanted && got.size === wanted)) && !exclude.some((id) => got.has(id)),
    precision: got.size === 0 ? (wanted === 0 ? null : 0) : hits / got.size,
    recall: wanted === 0 ? null : hits / wanted,
    isEmpty: got.size === 0,
  }
}

import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { corpusFacts, corpusQuestions, corpusSessions } from '../../test/search/corpus.ts'
import { loadLocomo as loadSet } from './sets/locomo.ts'

export type Turn = { readonly id: string; readonly text: string }
export type Session = { readonly id: string; readonly observedAt: string; readonly turns: readonly Turn[] }
export type Question = {
  readonly user: string
  readonly text: string
  readonly evidence: readonly string[]
  readonly category: string
}
export type Corpus = {
  readonly name: string
  readonly users: ReadonlyMap<string, readonly Session[]>
  readonly questions: readonly Question[]
}

/** LoCoMo is not ours to ship: it is read when it lies beside the project. */
export function loadLocomo(path: string): Corpus | null {
  if (!existsSync(path)) return null
  const { name, scopes, questions } = loadSet(dirname(path))
  const users = new Map<string, Session[]>()
  for (const [user, texts] of scopes) {
    const sessions = Map.groupBy(texts, ({ session }) => session ?? '')
    users.set(
      user,
      Array.from(sessions, ([id, turns]) => ({ id, observedAt: turns[0]?.observedAt ?? '', turns })),
    )
  }
  return { name, users, questions: questions.map((question) => ({ ...question, user: question.scope })) }
}

export function ownCorpus(): Corpus {
  const sessions = corpusSessions().map(({ id, date, memories }) => ({
    id,
    observedAt: `${date}T12:00:00Z`,
    turns: memories,
  }))
  const facts = corpusFacts().map((fact) => ({ id: fact.id, observedAt: '2024-01-01T12:00:00Z', turns: [fact] }))
  return {
    name: 'own corpus',
    users: new Map([['corpus', [...sessions, ...facts]]]),
    questions: corpusQuestions().map((question) => ({ ...question, user: 'corpus', category: 'all' })),
  }
}

/** Every message as a separate session: memories without a conversation. */
export function withoutSessions(corpus: Corpus): Corpus {
  const apart = [...corpus.users].map(([user, sessions]): [string, Session[]] => [
    user,
    sessions.flatMap(({ id, observedAt, turns }) =>
      turns.map((turn, at) => ({ id: `${id}.${at}`, observedAt, turns: [turn] })),
    ),
  ])
  return { ...corpus, name: `${corpus.name}, each turn by itself`, users: new Map(apart) }
}

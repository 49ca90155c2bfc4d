import { existsSync, readFileSync } from 'node:fs'
import { corpusFacts, corpusQuestions, corpusSessions } from '../../test/search/corpus.ts'

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

type Locomo = {
  conversations: {
    id: string
    turns: { id: string; speaker: string; session: number; date: string; text: string }[]
  }[]
  questions: { conversation: string; question: string; category: number; evidence: string[] }[]
}

/** LoCoMo is not ours to ship: it is read when it lies beside the project. */
export function loadLocomo(path: string): Corpus | null {
  if (!existsSync(path)) return null
  const { conversations, questions } = JSON.parse(readFileSync(path, 'utf8')) as Locomo
  const users = new Map<string, Session[]>()
  for (const { id, turns } of conversations) {
    const sessions = new Map<number, { id: string; observedAt: string; turns: Turn[] }>()
    for (const turn of turns) {
      const known = sessions.get(turn.session) ?? {
        id: `${id}-${turn.session}`,
        observedAt: toInstant(turn.date),
        turns: [],
      }
      sessions.set(turn.session, known)
      known.turns.push({ id: turn.id, text: `${turn.speaker}: ${turn.text}` })
    }
    users.set(id, [...sessions.values()])
  }
  return {
    name: 'LoCoMo, development half',
    users,
    questions: questions.map(({ conversation, question, category, evidence }) => ({
      user: conversation,
      text: question,
      evidence,
      category: String(category),
    })),
  }
}

/** "1:56 pm on 8 May, 2023" */
function toInstant(date: string): string {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(date) ?? []
  const instant = new Date(`${day} ${month} ${year} 00:00 UTC`)
  instant.setUTCHours((Number(hour) % 12) + (half === 'pm' ? 12 : 0), Number(minute))
  return instant.toISOString()
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

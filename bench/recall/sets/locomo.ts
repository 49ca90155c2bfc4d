import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecallQuestion, RecallSet, Text } from './set.ts'

type Locomo = {
  conversations: {
    id: string
    turns: { id: string; speaker: string; session: number; date: string; text: string }[]
  }[]
  questions: { qid: string; conversation: string; question: string; category: number; evidence: string[] }[]
}

/** LoCoMo is not ours to ship: it is read when it is there. */
export function loadLocomo(folder: string): RecallSet {
  const { scopes, questions } = readLocomo(folder)
  return { key: 'locomo', name: 'LoCoMo, development half', scopes, questions }
}

/** Each question of LoCoMo, put to a conversation in which its speaker is never named: nothing bears on it. */
export function loadStrangers(folder: string): RecallSet {
  const { scopes, questions, speakers } = readLocomo(folder)
  const said = new Map([...scopes].map(([id, texts]) => [id, texts.map(({ text }) => text).join('\n')]))
  const ids = [...scopes.keys()]
  const strangers = questions.flatMap((question, at): RecallQuestion[] => {
    if (question.category === '5') return []
    const named = (speakers.get(question.scope) ?? []).filter((name) => question.text.includes(name))
    if (named.length === 0) return []
    const others = ids.filter((id) => id !== question.scope && !named.some((name) => said.get(id)?.includes(name)))
    const scope = others[at % (others.length || 1)]
    return scope === undefined ? [] : [{ ...question, id: `${question.id} in ${scope}`, scope, evidence: [] }]
  })
  return { key: 'strangers', name: 'LoCoMo, asked about strangers', scopes, questions: strangers }
}

function readLocomo(folder: string) {
  const { conversations, questions } = JSON.parse(readFileSync(join(folder, 'locomo-dev.json'), 'utf8')) as Locomo
  const scopes = new Map<string, Text[]>()
  const speakers = new Map<string, string[]>()
  for (const { id, turns } of conversations) {
    speakers.set(id, [...new Set(turns.map(({ speaker }) => speaker))])
    const texts = turns.map((turn) => ({
      id: turn.id,
      text: `${turn.speaker}: ${turn.text}`,
      observedAt: toInstant(turn.date),
      session: `${id}-${turn.session}`,
    }))
    scopes.set(id, texts)
  }
  const asked = questions.map(({ qid, conversation, question, category, evidence }) => ({
    ...{ id: qid, scope: conversation, text: question, evidence, category: String(category) },
  }))
  return { scopes, questions: asked, speakers }
}

/** "1:56 pm on 8 May, 2023" */
function toInstant(date: string): string {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(date) ?? []
  const instant = new Date(`${day} ${month} ${year} 00:00 UTC`)
  instant.setUTCHours((Number(hour) % 12) + (half === 'pm' ? 12 : 0), Number(minute))
  return instant.toISOString()
}

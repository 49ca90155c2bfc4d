import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecallQuestion, RecallSet, Text } from './set.ts'

type Gate = {
  episodes: {
    id: string
    principals: Record<string, string>
    turns: [id: string, speaker: string, text: string][]
    checkpoints: { id: string; at: string; kind: string; query: string; wanted?: string[] }[]
  }[]
}

/** GateMem: what members of a shared conversation ask. Usefulness only: every turn is readable, and none is erased. */
export function loadGate(folder: string): RecallSet & { readonly wanted: ReadonlyMap<string, readonly string[]> } {
  const { episodes } = JSON.parse(readFileSync(join(folder, 'gate-dev.json'), 'utf8')) as Gate
  const scopes = new Map<string, Text[]>()
  const questions: RecallQuestion[] = []
  const wantedTexts = new Map<string, readonly string[]>()
  for (const { id, principals, turns, checkpoints } of episodes) {
    const texts = turns.map(([turn, speaker, text], at) => ({
      id: turn,
      text: `${(principals[speaker] ?? speaker).replace(/ \(.*/, '')}: ${text}`,
      observedAt: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
      session: id,
    }))
    scopes.set(id, texts)
    for (const { id: checkpoint, at, kind, query, wanted } of checkpoints) {
      if (kind !== 'utility' || wanted === undefined) continue
      const known = turns.findIndex(([turn]) => turn === at) + 1
      const evidence = texts.slice(0, known).filter(({ text }) => wanted.some((each) => holds(each, text)))
      const question = { id: `${id} ${checkpoint}`, scope: id, text: query, category: 'utility', known }
      questions.push({ ...question, evidence: evidence.map((each) => each.id) })
      wantedTexts.set(question.id, wanted)
    }
  }
  return { key: 'gate', name: 'GateMem, development half, usefulness', scopes, questions, wanted: wantedTexts }
}

/** Whether a text has what the set names by a pattern or by whole words, as the set's own scorer decides. */
export function holds(pattern: string, text: string): boolean {
  if (/[\\[\]()|?+*{}]/.test(pattern)) {
    try {
      return new RegExp(pattern, 'i').test(text)
    } catch {
      // A plain text, then.
    }
  }
  const flat = (each: string) => each.replace(/\s+/g, ' ').trim().toLowerCase()
  const low = flat(pattern)
  if (low === '') return false
  if (!/^[a-z0-9][a-z0-9\s_\-/.:]*[a-z0-9]$/.test(low)) return flat(text).includes(low)
  return new RegExp(`(?<!\\w)${low.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`).test(flat(text))
}

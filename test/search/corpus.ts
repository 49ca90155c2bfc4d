import { readFileSync } from 'node:fs'

export type CorpusMemory = { readonly id: string; readonly text: string }
export type CorpusSession = { readonly id: string; readonly date: string; readonly memories: readonly CorpusMemory[] }
export type CorpusQuestion = { readonly text: string; readonly evidence: readonly string[] }

function linesOf(name: string): string[] {
  const text = readFileSync(new URL(`corpus/${name}.txt`, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line !== '')
}

/** What stands in braces at the end of a line names it, so that questions can say where their answer is. */
function toMemory(line: string, place: string): CorpusMemory {
  const found = /^(.*?)(?: \{([a-z0-9-]+)\})?$/.exec(line)
  return { id: found?.[2] ?? place, text: found?.[1] ?? line }
}

/** Conversations of a few people, written for this test. */
export function corpusSessions(): CorpusSession[] {
  const sessions: { id: string; date: string; memories: CorpusMemory[] }[] = []
  for (const line of linesOf('conversations')) {
    const [, date, id] = /^# (\S+) (\S+)$/.exec(line) ?? []
    const last = sessions.at(-1)
    if (date && id) sessions.push({ id, date, memories: [] })
    else last?.memories.push(toMemory(line, `${last.id}:${last.memories.length}`))
  }
  return sessions
}

/** Facts that stand alone. */
export function corpusFacts(): CorpusMemory[] {
  return linesOf('facts').map((line, at) => toMemory(line, `fact:${at}`))
}

export function corpusQuestions(): CorpusQuestion[] {
  return linesOf('questions').map((line) => {
    const [text = '', evidence = ''] = line.split(' | ')
    return { text, evidence: evidence.split(' ') }
  })
}

import Database from 'better-sqlite3'
import { stopWords } from '../../src/core/search/stop-words.ts'
import type { Session } from './corpora.ts'

/** What SQLite gives by itself: Porter stems, any of the words, its own bm25. */
export function openPlainFts5(sessions: readonly Pick<Session, 'turns'>[]) {
  const db = new Database(':memory:')
  db.exec(`create virtual table turn using fts5 (id unindexed, text, tokenize = 'porter unicode61')`)
  const insert = db.prepare('insert into turn (id, text) values (?, ?)')
  for (const { turns } of sessions) for (const { id, text } of turns) insert.run(id, text)
  const find = db.prepare('select id from turn where turn match ? order by bm25(turn) limit 50').pluck()
  return (question: string): { ms: number; ranked: string[] } => {
    const began = performance.now()
    const words =
      question
        .toLowerCase()
        .replace(/'s\b/g, '')
        .match(/[\p{L}\p{N}]+/gu) ?? []
    const kept = words.filter((word) => !stopWords.has(word))
    const match = (kept.length > 0 ? kept : words).map((word) => `"${word}"`).join(' OR ')
    const ranked = match === '' ? [] : (find.all(match) as string[])
    return { ms: performance.now() - began, ranked }
  }
}

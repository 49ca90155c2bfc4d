import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEmbedder } from '../../src/adapters/embed/local.ts'
import { cosineSimilarity, normaliseVector, vectorFromBytes, vectorToBytes } from '../../src/core/search/vectors.ts'
import type { LoadedSet } from './collect.ts'
import type { Nearness } from './core-search.ts'
import type { RecallQuestion } from './sets/set.ts'

/** The offline embedders that are measured, each with the folder of its vectors. */
export const embedders = [
  { model: 'local', name: 'USE-lite', folder: 'colophon-recall-vectors' },
  { model: 'local-minilm', name: 'MiniLM', folder: 'colophon-recall-vectors-minilm' },
] as const

/** Vectors of all texts and questions of the sets, each made once per machine: they are kept in the temporary folder. */
export async function createNearness(sets: readonly LoadedSet[], { model, folder: name }: (typeof embedders)[number]) {
  const folder = join(tmpdir(), name)
  mkdirSync(folder, { recursive: true })
  const embedder = createLocalEmbedder(model)
  const { signal } = new AbortController()
  const known = new Map<string, Float32Array>()
  const texts = new Set(
    sets.flatMap((set) => [
      ...[...set.scopes.values()].flat().map(({ text }) => text),
      ...set.questions.map(({ text }) => text),
    ]),
  )
  const missing: string[] = []
  for (const text of texts) {
    const file = fileOf(text)
    if (existsSync(file)) known.set(text, vectorFromBytes(readFileSync(file)))
    else missing.push(text)
  }
  for (let at = 0; at < missing.length; at += embedder.textsMax) {
    const batch = missing.slice(at, at + embedder.textsMax)
    const made = await embedder.embed(batch, signal)
    for (const [nth, text] of batch.entries()) {
      const vector = normaliseVector(made[nth] ?? [])
      if (vector === null) continue
      known.set(text, vector)
      writeFileSync(fileOf(text), vectorToBytes(vector))
    }
  }

  function fileOf(text: string): string {
    return join(folder, createHash('sha256').update(text).digest('hex'))
  }

  return {
    of:
      (set: LoadedSet) =>
      (question: RecallQuestion): Nearness => {
        const asked = known.get(question.text)
        const nearness = new Map<number, number>()
        if (asked === undefined) return nearness
        for (const [at, { text }] of (set.scopes.get(question.scope) ?? []).entries()) {
          const vector = known.get(text)
          if (vector) nearness.set(at, cosineSimilarity(asked, vector))
        }
        return nearness
      },
    close: () => embedder.close(),
  }
}

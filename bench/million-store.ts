import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { defaultClassification } from '../src/core/provenance/category.ts'
import { composeEngine, openStorage } from '../src/open.ts'
import { createRandom } from '../test/support/random.ts'
import { shuffle, tagNames } from './entries.ts'
import { createZipfWords } from './zipf-words.ts'

/** The tenant of the bootstrap key. */
export const tenantId = 'default'
export const subject = 'ada'
export const subjectRef = `subject:${subject}`
/** Messages of one conversation. */
const conversation = 200
const batch = 1_000
const sampledIdsMax = 10_000

/**
 * Stores memories of one person until there are so many, each a message of a conversation. Through the engine and not through
 * `add`, which also stores the source events and would take several times as long. Returns some of the ids, in no order.
 */
export async function fillMemories(path: string, from: number, to: number): Promise<string[]> {
  const words = createZipfWords(from + 7)
  const random = createRandom(from + 8)
  const tag = () => tagNames[Math.floor(random() * tagNames.length)] ?? ''
  const { engine, close } = composeEngine(await openStorage({ path }, Date.now), nodeSystem(), 'bench', null)
  const ids: string[] = []
  const stride = Math.ceil((to - from) / sampledIdsMax)
  const toPut = (at: number) => {
    const entryId = engine.system.newId('mem')
    if (at % stride === 0) ids.push(entryId)
    return {
      memoryRef: subjectRef,
      entryId,
      content: words.sentence(12),
      tags: [...new Set([tag(), tag(), 'source:api'])],
      expiresAt: null,
      subject,
      origin: { kind: 'api' as const },
      salt: engine.system.newSalt(),
      classification: { ...defaultClassification, sessionId: `conversation-${Math.floor(at / conversation)}` },
    }
  }
  // A small store gets small batches, because a snapshot needs positions to look back to.
  const together = Math.min(batch, Math.ceil((to - from) / 10))
  for (let at = from; at < to; at += together) {
    const puts = Array.from({ length: Math.min(together, to - at) }, (_, nth) => toPut(at + nth))
    await engine.tenant(tenantId).commit({ kind: 'memory.written', puts }, { call: { operation: 'bench' } })
  }
  await close()
  return shuffle(ids, createRandom(1))
}

// What a consolidation does to recall: node bench/recall/consolidation.ts [--data FILE]
// Every turn is a plain entry, once, and as two agents store it that listen to the same conversation.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { consolidateRef } from '../../src/app/consolidation/consolidation-pass.ts'
import { composeEngine } from '../../src/open.ts'
import { meanOf, scoreOf } from '../../test/search/score.ts'
import { type Corpus, loadLocomo, ownCorpus } from './corpora.ts'

const { values } = parseArgs({
  options: { data: { type: 'string', default: join(import.meta.dirname, '../../../shared/data/locomo-dev.json') } },
})

const folder = mkdtempSync(join(tmpdir(), 'colophon-recall-'))
const { signal } = new AbortController()
const tenantId = 'bench'

const corpus = loadLocomo(values.data) ?? ownCorpus()
console.log(`# ${corpus.name}\n`)
console.log('| stored by | entries before | after | recall@10 before | after |')
console.log('|---|---|---|---|---|')
for (const agents of [1, 2]) await measure(corpus, agents)
rmSync(folder, { recursive: true, force: true })

async function measure({ users, questions }: Corpus, agents: number): Promise<void> {
  const clock = { now: 0 }
  const now = () => clock.now
  const storage = openSqlite({ path: join(folder, `${agents}.db`), now })
  const { engine, close } = composeEngine(storage, nodeSystem(now), 'bench', null)
  const memory = engine.tenant(tenantId)
  /** The turns that an entry stands for. */
  const turnsOf = new Map<string, readonly string[]>()
  let stored = 0
  for (const [user, sessions] of users) {
    for (const { observedAt, turns } of sessions) {
      clock.now = Math.max(clock.now, Date.parse(observedAt))
      for (let agent = 1; agent <= agents; agent++) {
        const drafts = turns.map(({ text }) => ({ content: text, tags: [`agent-${agent}`] }))
        const { entries } = await memory.putMany(user, drafts, { actor: `agent-${agent}` })
        for (const [at, { id }] of entries.entries()) turnsOf.set(id, [`${user} ${turns[at]?.id}`])
        stored += entries.length
      }
    }
  }
  const before = await recall()
  let left = 0
  for (const user of users.keys())
    left += (await consolidateRef(memory, user, { actor: 'bench', trigger: 'on-demand', signal })).outputCount
  for (let after: string | null = null; ; ) {
    const made = await storage.compactions.list({ tenantId, memoryRef: null, after, limit: 500 })
    for (const { compactionId, outputId } of made) {
      const sources = await storage.compactions.sources(tenantId, compactionId)
      turnsOf.set(
        outputId,
        sources.flatMap(({ entryId }) => turnsOf.get(entryId) ?? []),
      )
    }
    after = made.at(-1)?.compactionId ?? null
    if (after === null) break
  }
  const row = [agents === 1 ? 'one agent' : `${agents} agents`, stored, left, before, await recall()]
  console.log(`| ${row.join(' | ')} |`)
  await close()

  async function recall(): Promise<string> {
    const scores = []
    for (const { user, text, evidence, category } of questions) {
      // Category 5 of LoCoMo asks about things that were not stated in this way.
      if (category === '5') continue
      const { results } = await memory.search(user, text, { limit: 10 })
      const ranked = results.map(({ entry }) => turnsOf.get(entry.id) ?? [])
      const wanted = evidence.map((id) => `${user} ${id}`)
      scores.push(
        scoreOf(
          wanted,
          ranked.map((turns) => turns.find((turn) => wanted.includes(turn)) ?? turns[0] ?? '?'),
        ),
      )
    }
    return (meanOf(scores)['recall@10'] ?? 0).toFixed(4)
  }
}

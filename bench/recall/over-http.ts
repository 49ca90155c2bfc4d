// The recall of search over HTTP, through a server: node bench/recall/over-http.ts [--data FILE] [--mode sessions|apart] [--own] [--embedder]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { meanOf, type Score, scoreOf } from '../../test/search/score.ts'
import { benchKey, startServer } from '../servers.ts'
import { type Corpus, loadLocomo, ownCorpus, withoutSessions } from './corpora.ts'
import { createMemoriesApi } from './memories-api.ts'
import { openPlainFts5 } from './plain-fts5.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: join(import.meta.dirname, '../../../shared/data/locomo-dev.json') },
    mode: { type: 'string' },
    own: { type: 'boolean', default: false },
    /** With the offline embedder, once it has made vectors of everything. */
    embedder: { type: 'boolean', default: false },
  },
})

type Result = { readonly category: string; readonly score: Score; readonly ms: number }

const folder = mkdtempSync(join(tmpdir(), 'colophon-recall-'))
const server = await startServer(['src/cli/main.ts', 'serve'], {
  COLOPHON_PORT: '0',
  COLOPHON_DATA_DIR: folder,
  COLOPHON_BOOTSTRAP_KEY: benchKey,
  COLOPHON_LOG_LEVEL: 'error',
  ...(values.embedder ? { COLOPHON_EMBEDDINGS: 'local' } : {}),
})
try {
  const locomo = values.own ? null : loadLocomo(values.data)
  if (locomo === null && !values.own) console.log(`There is no ${values.data}: the own corpus is used instead.\n`)
  const corpus = locomo ?? ownCorpus()
  for (const [mode, variant] of [
    ['sessions', corpus],
    ['apart', withoutSessions(corpus)],
  ] as const) {
    if (values.mode === undefined || values.mode === mode) await measure(variant, mode)
  }
} finally {
  server.child.removeAllListeners('exit')
  server.child.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function measure(corpus: Corpus, mode: string): Promise<void> {
  const api = createMemoriesApi(server.url)
  const began = performance.now()
  await api.ingest(corpus, mode)
  const turns = [...corpus.users.values()].flat().reduce((sum, session) => sum + session.turns.length, 0)
  console.log(`# ${corpus.name}: ${turns} turns, ingested in ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
  if (values.embedder) {
    const vectors = await api.embedded()
    console.log(`${vectors} vectors, made in ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
  }
  const ours: Result[] = []
  const plain: Result[] = []
  const fts5 = new Map([...corpus.users].map(([user, sessions]) => [user, openPlainFts5(sessions)]))
  for (const { user, text, evidence, category } of corpus.questions) {
    const found = await api.retrieve(corpus, mode, user, text)
    ours.push({ category, score: scoreOf(evidence, found.ranked), ms: found.ms })
    const bare = fts5.get(user)?.(text) ?? { ranked: [], ms: 0 }
    plain.push({ category, score: scoreOf(evidence, bare.ranked), ms: bare.ms })
  }
  console.log(table('retrieve', ours))
  console.log(table('plain FTS5', plain))
}

function table(name: string, results: readonly Result[]): string {
  const categories = [...new Set(results.map(({ category }) => category))].sort()
  // Category 5 of LoCoMo asks about things that were not stated in this way; it is reported separately.
  const groups = categories.length > 1 ? [['1-4', categories.filter((category) => category !== '5')] as const] : []
  const lines = [...groups, ...categories.map((category) => [category, [category]] as const)].map(([label, wanted]) => {
    const chosen = results.filter(({ category }) => wanted.includes(category))
    const mean = Object.values(meanOf(chosen.map(({ score }) => score))).map((value) => value.toFixed(3))
    return `| ${[label, chosen.length, ...mean].join(' | ')} |`
  })
  const heads = ['category', 'questions', ...Object.keys(results[0]?.score ?? {})]
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(1)
  return [
    `## ${name}`,
    '',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...lines,
    '',
    `latency: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`,
    '',
  ].join('\n')
}

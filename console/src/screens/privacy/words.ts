import type { ForgetLayer } from '../../../../src/core/forget/receipt-body.ts'

/** What a forget erases in each layer, as a person says it. The last two are only in the check afterwards. */
const layerWords: Readonly<Record<ForgetLayer | 'searchRows' | 'vectors', string>> = {
  entries: 'memories',
  versions: 'versions of memories, the earlier ones included',
  tags: 'tags of memories',
  claims: 'claims',
  assertions: 'statements of sources about claims',
  sourceEvents: 'source events',
  payloads: 'original messages of source events',
  runs: 'runs from which values were removed',
  calls: 'recorded reads and writes of runs',
  compactions: 'compactions',
  idempotencyKeys: 'stored answers to repeated requests',
  jobs: 'jobs that named it',
  auditRefs: 'names in the audit log (its chain stays intact)',
  secrets: 'secrets in the vault',
  readers: 'lists of readers that named the person',
  records: 'names in keys, reasons, agents and workflows',
  schedules: 'schedules that named it',
  searchRows: 'rows of the search index',
  vectors: 'vectors of the semantic search',
}

export function wordsOfLayer(layer: string): string {
  return Object.hasOwn(layerWords, layer) ? layerWords[layer as keyof typeof layerWords] : layer
}

/** What a forget selected. The name itself is kept nowhere. */
const selectorWords: Readonly<Record<string, string>> = {
  subject: 'everything about one person',
  memoryRef: 'everything under one memory ref',
  tag: 'the memories with one tag',
  writer: 'everything from one writer',
  sourceEvent: 'everything from one source event',
  runId: 'everything that one run wrote',
  memory: 'one memory',
}

export function wordsOfSelector(kind: string): string {
  return Object.hasOwn(selectorWords, kind) ? (selectorWords[kind] ?? kind) : kind
}

const physicalWords: Readonly<Record<string, string>> = {
  erased: 'No byte of it is left in the files of the database.',
  'pending-vacuum-and-wal': 'The database has yet to overwrite the deleted rows: VACUUM, and its write-ahead logs.',
  'not-durable': 'The database keeps nothing on disk.',
}

export function wordsOfFiles(physical: string): string {
  return Object.hasOwn(physicalWords, physical) ? (physicalWords[physical] ?? physical) : physical
}

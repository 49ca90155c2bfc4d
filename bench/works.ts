/** Everything that `npm run bench` measures, with its target. docs/PERFORMANCE.md has one row for each of these and nothing else. */
export type Work = {
  readonly section: string
  readonly work: string
  /** How many entries are stored before it is measured; one row for each. */
  readonly entries?: readonly number[]
  /** `times` and `share` are ratios: the judged time or rate beside that of the reference. */
  readonly unit: 'times' | 'share' | 'ms' | 'bytes' | 'KB' | 'MB'
  readonly target: number | null
  readonly stretch?: number
}

const http = 'HTTP, 32 connections'
const library = 'Library beside raw SQLite'
const growth = 'Growth of one ref, library beside itself at 1,000 entries'
const search = 'Search, no vectors, one caller over HTTP'
const bytes = 'Bytes per entry of 290 characters with three tags'
const streams = '5,000 event streams, one event a second'
const postgres = 'PostgreSQL (fsync on) beside a raw client'
const provenance = 'Provenance'
const passes = 'p99 of puts beside a pass over one ref, same process / quiet'
const fairness = (storage: string) => ({
  section: `A quiet tenant beside a busy one with 64 connections, ${storage}, load on the same cores`,
})

const sizes = [1_000, 10_000, 100_000]
const searched = { section: search, unit: 'ms', entries: [100_000, 1_000_000] } as const
const write = { section: library, unit: 'share', target: 0.9, stretch: 0.95, entries: [1_000] } as const
const grown = { section: growth, unit: 'times', target: 1.5, stretch: 1, entries: [1_000_000] } as const

const works = {
  httpPutEcho: { section: http, work: 'durable put / bare fastify echo', unit: 'share', target: 0.22, stretch: 0.3 },
  httpPutSync: {
    section: http,
    work: 'durable put / one sync per request, same rows',
    unit: 'share',
    target: 3,
    stretch: 4,
  },
  httpList: { section: http, work: 'list of 50 / echo of the same bytes', unit: 'share', target: 0.35, stretch: 0.5 },
  httpRun: {
    section: http,
    work: 'no-op run / raw loop of the same commits',
    unit: 'share',
    target: 0.4,
    stretch: 0.5,
  },
  httpRunV2: { section: http, work: 'no-op run in version 2 / in version 1', unit: 'times', target: 1.1 },
  httpAdd: { section: http, work: 'add accepted / put', unit: 'share', target: 0.75 },
  httpAddVerbatim: { section: http, work: 'add accepted (infer: false) / put', unit: 'share', target: 0.75 },
  start: { section: http, work: 'start to first response / bare fastify', unit: 'times', target: 2 },
  idleMemory: { section: http, work: 'memory at rest / bare fastify', unit: 'times', target: 1.6 },
  idleMegabytes: { section: http, work: 'memory at rest', unit: 'MB', target: 115 },
  putOne: { ...write, work: 'put, one at a time' },
  putMany: { ...write, work: 'put, 32 at once' },
  putBatch: { ...write, work: 'put, batches of 100' },
  delete: { ...write, work: 'delete, one at a time' },
  get: { section: library, work: 'get', unit: 'times', target: 3, entries: sizes },
  list: { section: library, work: 'list 50', unit: 'times', target: 2, entries: sizes },
  listTag: { section: library, work: 'list 50 by tag', unit: 'times', target: 2, entries: sizes },
  listSnapshot: { section: library, work: 'list 50 at a snapshot', unit: 'times', target: 2, entries: sizes },
  listCursor: { section: library, work: 'second page by cursor', unit: 'times', target: 2, entries: sizes },
  growthPut: {
    section: growth,
    work: 'put, one at a time',
    unit: 'share',
    target: 0.85,
    stretch: 0.95,
    entries: [1_000_000],
  },
  growthPutMany: {
    section: growth,
    work: 'put, 32 at once',
    unit: 'share',
    target: 0.85,
    stretch: 0.95,
    entries: [1_000_000],
  },
  growthGet: { ...grown, work: 'get' },
  growthList: { ...grown, work: 'list 50' },
  growthListTag: { ...grown, work: 'list 50 by tag' },
  growthListSnapshot: { ...grown, work: 'list 50 at a snapshot' },
  searchRare: { ...searched, work: 'retrieve p95: four words, none of the 30 commonest', target: 20, stretch: 12 },
  searchPlain: { ...searched, work: 'retrieve p95: six words as they come', target: 20, stretch: 12 },
  searchCommon: { ...searched, work: 'retrieve p95: six of the 15 commonest', target: 20, stretch: 12 },
  searchFiltered: { ...searched, work: 'retrieve p95: four words, of the last day', target: 20, stretch: 12 },
  sqliteBytes: { section: bytes, work: 'SQLite', unit: 'bytes', target: 1_000, stretch: 900, entries: [100_000] },
  postgresBytes: { section: bytes, work: 'PostgreSQL', unit: 'bytes', target: 1_500, entries: [10_000] },
  streamCpu: { section: streams, work: 'CPU of the server / bare fan-out', unit: 'times', target: 2 },
  streamMemory: { section: streams, work: 'memory of a stream', unit: 'KB', target: 18 },
  postgresPut: {
    section: postgres,
    work: 'put, 32 at once on 32 tenants',
    unit: 'share',
    target: 0.8,
    entries: [10_000],
  },
  postgresPutOne: { section: postgres, work: 'put, one at a time', unit: 'share', target: 0.8, entries: [10_000] },
  postgresDelete: { section: postgres, work: 'delete, one at a time', unit: 'share', target: 0.8, entries: [10_000] },
  postgresGet: { section: postgres, work: 'get', unit: 'times', target: 3, entries: [10_000] },
  postgresList: { section: postgres, work: 'list 50', unit: 'times', target: 2, entries: [10_000] },
  quiet: { ...fairness('SQLite'), work: 'p99 of the quiet tenant / alone', unit: 'times', target: 2 },
  quietControl: {
    ...fairness('SQLite'),
    work: 'control: the load on a server that does nothing',
    unit: 'times',
    target: null,
  },
  busy: { ...fairness('SQLite'), work: 'rate of the busy tenant / alone', unit: 'share', target: 0.85 },
  busyRare: { ...fairness('SQLite'), work: 'the same beside one that asks once a second', unit: 'share', target: 0.85 },
  quietPostgres: { ...fairness('PostgreSQL'), work: 'p99 of the quiet tenant / alone', unit: 'times', target: 2 },
  quietControlPostgres: {
    ...fairness('PostgreSQL'),
    work: 'control: the load on a server that does nothing',
    unit: 'times',
    target: null,
  },
  busyPostgres: { ...fairness('PostgreSQL'), work: 'rate of the busy tenant / alone', unit: 'share', target: 0.85 },
  busyRarePostgres: {
    ...fairness('PostgreSQL'),
    work: 'the same beside one that asks once a second',
    unit: 'share',
    target: 0.85,
  },
  claims: {
    ...{ section: provenance, work: 'a conflict, subject with 10,000 other claims / with none', unit: 'times' },
    ...{ target: 1.2 },
  },
  besideConsolidation: { section: passes, work: 'consolidation', unit: 'times', target: 3, entries: [100_000] },
  besideDistillation: { section: passes, work: 'distillations', unit: 'times', target: 3, entries: [10_000] },
} as const satisfies Record<string, Work>

export type WorkId = keyof typeof works

/** The rows of the page, in order: a work that is measured at several sizes has several. */
export const rows: readonly { readonly id: WorkId; readonly entries: number | null; readonly work: Work }[] = (
  Object.entries(works) as [WorkId, Work][]
).flatMap(([id, work]) => (work.entries ?? [null]).map((entries) => ({ id, entries, work: toSized(work, entries) })))

/** A million entries may take a search longer. */
function toSized(work: Work, entries: number | null): Work {
  return work.section === search && entries === 1_000_000 ? { ...work, target: 60, stretch: 30 } : work
}

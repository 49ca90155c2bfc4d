// Writes docs/SCALE.md, the arithmetic of what a tenant, a node and a cluster hold, from figures of the bench: node bench/scale.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { limits } from '../src/core/limits.ts'
import { renderTable } from './report.ts'

export const capacityFile = 'bench/capacity.json'
export const scalePage = 'docs/SCALE.md'
const performanceFile = 'docs/PERFORMANCE.md'

export type DatabaseFigures = Readonly<
  Record<
    | 'indexBytesPerEntry'
    | 'bytesPerEntryInBatches'
    | 'putsPerSecondOneTenant'
    | 'putsPerSecondManyTenants'
    | 'getsPerSecond'
    | 'listsPerSecond'
    | 'verifiedEntriesPerSecond'
    | 'verifiedAgainPerSecond'
    | 'backupBytesPerSecond',
    number
  >
>

/** What `bench/capacity.ts` measured. */
export type CapacityFigures = {
  readonly date: string
  readonly commit: string
  readonly cores: string
  readonly loadAverage: string
  readonly entries: number
  readonly sqlite: DatabaseFigures
  readonly postgres: DatabaseFigures
}

/** What the page takes from docs/PERFORMANCE.md. */
export type PerformanceFigures = {
  readonly date: string
  readonly commit: string
  readonly bytesPerEntry: { readonly sqlite: number; readonly postgres: number }
  /** Milliseconds at the 95th percentile, by the entries of the ref. */
  readonly retrieve: readonly { readonly work: string; readonly entries: number; readonly ms: number }[]
}

/** A machine to plan with. These are choices, not measurements. */
const node = { memoryBytes: 64e9, diskBytes: 2e12, hotShare: 0.1, verifyHours: 24 }
const sizes = [1e6, 1e7, 1e8, 1e9, 1e10]

export function readPerformance(page: string): PerformanceFigures {
  const found = (pattern: RegExp, what: string) => {
    const match = pattern.exec(page)?.[1]
    if (match === undefined) throw new Error(`${performanceFile} has no ${what}.`)
    return match
  }
  const bytes = (name: string) =>
    Number(
      found(new RegExp(`^\\| ${name} +\\| +[\\d,]+ \\| +([\\d,]+) bytes`, 'm'), `bytes of ${name}`).replaceAll(',', ''),
    )
  const rows = [...page.matchAll(/^\| (retrieve p95: [^|]+?) +\| +([\d,]+) \| +([\d.]+) ms/gm)]
  if (rows.length === 0) throw new Error(`${performanceFile} has no times of retrieve.`)
  return {
    date: found(/^- date: (.+)$/m, 'date'),
    commit: found(/^- commit: (.+)$/m, 'commit'),
    bytesPerEntry: { sqlite: bytes('SQLite'), postgres: bytes('PostgreSQL') },
    retrieve: rows.map(([, work = '', entries = '', ms = '']) => ({
      ...{ work, ms: Number(ms) },
      entries: Number(entries.replaceAll(',', '')),
    })),
  }
}

/** How many entries one node holds, and which of its parts is full first. */
export function nodeHolds(bytesPerEntry: number, { indexBytesPerEntry, verifiedEntriesPerSecond }: DatabaseFigures) {
  const bounds = [
    { by: 'disk', entries: node.diskBytes / bytesPerEntry },
    { by: 'memory', entries: node.memoryBytes / (indexBytesPerEntry * node.hotShare) },
    { by: 'verification', entries: verifiedEntriesPerSecond * node.verifyHours * 3_600 },
  ]
  return bounds.reduce((least, bound) => (bound.entries < least.entries ? bound : least))
}

/** A tenant with more rows than verification holds in memory is read again for each part. The parts are halves of halves. */
export function verifyRounds(entries: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(entries / limits.verifyRowsHeldMax)))
}

/** Seconds. A further round reads no tags, and checks no hashes of the chain. */
export function verifySeconds(
  entries: number,
  figures: Pick<DatabaseFigures, 'verifiedEntriesPerSecond' | 'verifiedAgainPerSecond'>,
): number {
  const again = (verifyRounds(entries) - 1) / figures.verifiedAgainPerSecond
  return entries * (1 / figures.verifiedEntriesPerSecond + again)
}

export function renderScalePage(performance: PerformanceFigures, capacity: CapacityFigures): string {
  const { sqlite, postgres } = capacity
  const { bytesPerEntry } = performance
  const held = nodeHolds(bytesPerEntry.postgres, postgres)
  return `<!-- Written by \`node bench/scale.ts\`. Do not edit: change the figures or the program. -->

# Scale

What a tenant, a node and a cluster hold, on paper. The arithmetic is \`bench/scale.ts\`; every constant was measured, and every choice is named. Nothing beyond 1,000,000
entries of a ref was measured: the rest is multiplication.

## Inputs

${renderTable(
  ['figures', 'commit', 'date'],
  [
    ['[PERFORMANCE.md](PERFORMANCE.md), by `npm run bench`', performance.commit, performance.date],
    ['`bench/capacity.json`, by `node bench/capacity.ts`', capacity.commit, capacity.date],
  ],
)}

The second was measured with ${whole(capacity.entries)} entries on ${capacity.cores}, at a load average of ${capacity.loadAverage}. A machine with a load above its cores gives
smaller rates and longer times than a free one. Measure yours before you buy anything.

${renderTable(
  ['constant', 'SQLite', 'PostgreSQL'],
  [
    ['bytes of an entry of 290 characters, single puts', whole(bytesPerEntry.sqlite), whole(bytesPerEntry.postgres)],
    ['the same in batches of 500', whole(sqlite.bytesPerEntryInBatches), whole(postgres.bytesPerEntryInBatches)],
    ['of that, bytes of indexes', whole(sqlite.indexBytesPerEntry), whole(postgres.indexBytesPerEntry)],
    [
      'puts a second, 32 at once, one tenant',
      whole(sqlite.putsPerSecondOneTenant),
      whole(postgres.putsPerSecondOneTenant),
    ],
    [
      'puts a second, 32 at once, 32 tenants',
      whole(sqlite.putsPerSecondManyTenants),
      whole(postgres.putsPerSecondManyTenants),
    ],
    ['gets a second', whole(sqlite.getsPerSecond), whole(postgres.getsPerSecond)],
    ['lists of 50 a second', whole(sqlite.listsPerSecond), whole(postgres.listsPerSecond)],
    [
      'entries verified a second (`audit verify --contents`)',
      whole(sqlite.verifiedEntriesPerSecond),
      whole(postgres.verifiedEntriesPerSecond),
    ],
    [
      'the same, in a further round of a large tenant',
      whole(sqlite.verifiedAgainPerSecond),
      whole(postgres.verifiedAgainPerSecond),
    ],
    ['megabytes backed up a second', millions(sqlite.backupBytesPerSecond), millions(postgres.backupBytesPerSecond)],
  ],
)}

A backup on PostgreSQL is \`COPY\` of all tables on the server, which \`pg_dump\` cannot be faster than. A vector adds 4 bytes × its dimensions, and its row.

## Retrieve

A search reads the index of one ref. Its time depends on the entries of that ref, not on those of the tenant, node or cluster.

${renderTable(
  ['work', 'entries of the ref', 'p95'],
  performance.retrieve.map(({ work, entries, ms }) => [work.replace('retrieve p95: ', ''), whole(entries), `${ms} ms`]),
)}

## A tenant

A tenant is on one node: its commits take turns under one clock. The default quota is ${whole(limits.quotaEntries)} entries and ${limits.quotaBytes / 1_024 ** 3} GiB of text. Verification holds ${whole(limits.verifyRowsHeldMax)}
rows in memory and reads a larger tenant again for each part, without its tags; the times below count one row for each entry,
written in batches of 500. A single put has a record of its own in the audit, which every round reads again.

${renderTable(
  [
    'entries',
    'disk, SQLite',
    'disk, PostgreSQL',
    'written once, SQLite',
    'written once, PostgreSQL',
    'verified, SQLite',
    'verified, PostgreSQL',
  ],
  [1e5, 1e6, limits.quotaEntries, 1e8].map((entries) => [
    whole(entries),
    disk(entries * bytesPerEntry.sqlite),
    disk(entries * bytesPerEntry.postgres),
    time(entries / sqlite.putsPerSecondOneTenant),
    time(entries / postgres.putsPerSecondOneTenant),
    time(verifySeconds(entries, sqlite)),
    time(verifySeconds(entries, postgres)),
  ]),
)}

## A node

To plan with: a PostgreSQL with ${disk(node.memoryBytes)} of memory and ${disk(node.diskBytes)} of disk, of whose indexes ${node.hotShare * 100} % are in use and stay in memory, and
whose tenants, none larger than what verification holds in memory, are all verified within ${node.verifyHours} hours by one process. It holds **${whole(held.entries)} entries**; the bound is ${held.by}.

## A cluster

Nodes of PostgreSQL, tenants distributed over them. A synchronous standby doubles the disk. Rates are those of single puts of many tenants.

${renderTable(
  [
    'entries',
    'nodes',
    'disk',
    'indexes',
    'indexes in use, each node',
    'puts a second',
    'written once',
    'backup, each node',
    'verified, each node',
  ],
  sizes.map((entries) => {
    const nodes = Math.ceil(entries / held.entries)
    const each = entries / nodes
    const puts = nodes * postgres.putsPerSecondManyTenants
    return [
      whole(entries),
      whole(nodes),
      disk(entries * bytesPerEntry.postgres),
      disk(entries * postgres.indexBytesPerEntry),
      disk(each * postgres.indexBytesPerEntry * node.hotShare),
      whole(puts),
      time(entries / puts),
      time((each * bytesPerEntry.postgres) / postgres.backupBytesPerSecond),
      time(each / postgres.verifiedEntriesPerSecond),
    ]
  }),
)}

What this leaves out: history (a revised entry is two), messages of source events until their retention, runs and their events, and the write-ahead log. The largest tenant must
fit on one node.
`
}

function whole(value: number): string {
  return Math.floor(value).toLocaleString('en-US')
}

function millions(value: number): string {
  return (value / 1e6).toFixed(0)
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Three digits, in powers of 1,000. */
function disk(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${units[power]}`
}

function time(seconds: number): string {
  const steps: readonly (readonly [number, string])[] = [
    [365 * 86_400, 'years'],
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ]
  for (const [step, unit] of steps) if (seconds >= 2 * step) return `${Number((seconds / step).toPrecision(2))} ${unit}`
  return `${Number(seconds.toPrecision(2))} s`
}

/** The page from the stored figures. */
export function currentScalePage(): string {
  const capacity = JSON.parse(readFileSync(capacityFile, 'utf8')) as CapacityFigures
  return renderScalePage(readPerformance(readFileSync(performanceFile, 'utf8')), capacity)
}

if (import.meta.main) writeFileSync(scalePage, currentScalePage())

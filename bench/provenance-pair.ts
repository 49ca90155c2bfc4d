import { join } from 'node:path'
import { createDrafts, toRawEntries } from './entries.ts'
import { type Connection, openConnections } from './http-load.ts'
import type { Side } from './pair.ts'
import { claimOf, type LibraryProvenance, openLibraryProvenance } from './provenance-library.ts'
import { openRawSqlite } from './raw-sqlite.ts'
import type { Recorder } from './recorder.ts'
import { startOurs } from './servers.ts'
import { fillStore, tenantId } from './sqlite-store.ts'
import { callers, inCallers } from './sqlite-writes.ts'

const section = 'Provenance'
const addsPerSlice = 20 * callers
const otherClaims = 10_000
const decisionsPerSlice = 100

/** What an add costs beside a put, what extraction costs beside bare inserts, and whether decisions grow with a subject. */
export async function benchProvenance(recorder: Recorder, folder: string): Promise<void> {
  await benchAcknowledged(recorder, folder)
  await benchExtraction(recorder, folder)
  await benchOtherClaims(recorder, folder)
}

const people = [
  'My name is Ada and I live in Lisbon.',
  'I prefer dark mode and compact layouts.',
  'I work as a nurse and I love hiking in the mountains.',
  'My sister is called Nina and she lives in Porto.',
]

/** As long as the text of the put beside it, so that both store about as much. */
function messageOf(turn: number): string {
  const said = people[turn % people.length] ?? ''
  return `${said} ${'The rest of the message is not about any person. '.repeat(8)}`.slice(0, 290)
}

async function benchAcknowledged(recorder: Recorder, folder: string): Promise<void> {
  const server = await startOurs(join(folder, 'provenance'))
  const { connections, close } = await openConnections(server.url, callers)
  const first = connections[0] as Connection
  await first.ask('POST', '/v1/tenant/service-writers', JSON.stringify({ service_key: 'bench' }))
  const drafts = createDrafts(7)
  const putPath = '/v1/host/colophon/memory/agents%2Fbench/entries'
  let events = 0
  const side = (path: string, bodyOf: (turn: number) => unknown): Side => {
    let bodies: string[] = []
    return {
      // Background work of an add must not run in the time slice of the other side.
      async prepare() {
        await untilIdle(first)
        bodies = Array.from({ length: addsPerSlice }, (_, turn) => JSON.stringify(bodyOf(turn)))
      },
      run: () => inCallers(bodies, (body, caller) => (connections[caller] as Connection).ask('POST', path, body)),
    }
  }
  const put = side(putPath, () => drafts(1)[0])
  const adding = (infer: boolean) =>
    side('/v1/memories/add', (turn) => {
      events += 1
      return {
        external_user_id: `user-${events}`,
        infer,
        messages: [{ role: 'user', content: messageOf(turn) }],
        source: { service: 'bench', event_id: `evt-${events}`, observed_at: '2026-06-11T09:55:00Z' },
      }
    })
  const common = { section, entries: 0, shown: 'rate', operations: addsPerSlice, reference: put } as const
  try {
    const work = 'add acknowledged over HTTP, 32 connections, beside a put'
    await recorder.compare({ ...common, work, target: 0.5, judged: adding(true) })
    await recorder.compare({ ...common, work: `${work} (word for word)`, target: 0.5, judged: adding(false) })
  } finally {
    close()
    server.child.kill('SIGTERM')
    await new Promise((resolve) => server.child.once('exit', resolve))
  }
}

async function untilIdle(connection: Connection): Promise<void> {
  for (const status of ['queued', 'leased']) {
    const path = `/v1/host/colophon/jobs?status=${status}&limit=1`
    while ((await connection.ask('GET', path)).includes('"id"')) await new Promise((done) => setTimeout(done, 20))
  }
}

/** From the call to the stored memory: message, event, job, rules, claim, entry; beside bare rows of the entry alone. */
async function benchExtraction(recorder: Recorder, folder: string): Promise<void> {
  const ours = await openLibraryProvenance(join(folder, 'provenance-ours.db'))
  const rawPath = join(folder, 'provenance-raw.db')
  await fillStore(rawPath, 10)
  const raw = openRawSqlite(rawPath, tenantId, { audit: true })
  const drafts = createDrafts(8)
  const turns = Array.from({ length: addsPerSlice }, (_, turn) => turn)
  let users = 0
  let entries: ReturnType<typeof toRawEntries> = []
  const ingest = (turn: number) => {
    users += 1
    return ours.send(`user-${users}`, [{ role: 'user', content: messageOf(turn) }], true)
  }
  try {
    await recorder.compare({
      ...{ section, work: 'rules, from add to memory, beside raw inserts', entries: 0, shown: 'rate', target: null },
      ...{ operations: addsPerSlice, referenceDoesLess: true },
      judged: { run: () => inCallers(turns, ingest) },
      reference: {
        prepare() {
          entries = toRawEntries(drafts(addsPerSlice))
        },
        run() {
          for (let at = 0; at < entries.length; at += callers) raw.putEach(entries.slice(at, at + callers))
        },
      },
    })
  } finally {
    await ours.close()
    raw.close()
  }
}

/** The same conflicts, for a subject with thousands of other claims and for subjects with none. */
async function benchOtherClaims(recorder: Recorder, folder: string): Promise<void> {
  const ours = await openLibraryProvenance(join(folder, 'provenance-claims.db'))
  const work = `a conflict decided, subject with ${otherClaims.toLocaleString('en-US')} other claims beside one with none`
  try {
    await ours.fillClaims('much', otherClaims)
    await recorder.compare({
      ...{ section, work, entries: otherClaims, shown: 'time', target: 1.2, operations: decisionsPerSlice },
      judged: conflicts(ours, () => 'much'),
      reference: conflicts(ours, (at) => `little-${at}`),
    })
  } finally {
    await ours.close()
  }
}

function conflicts(ours: LibraryProvenance, subjectOf: (at: number) => string): Side {
  let at = 0
  return {
    async run() {
      for (let turn = 0; turn < decisionsPerSlice; turn += 2) {
        at += 1
        const subject = subjectOf(at)
        await ours.send(subject, [claimOf(`slot.${at}`, 'was this')], false)
        await ours.send(subject, [claimOf(`slot.${at}`, 'is that')], false)
      }
    },
  }
}

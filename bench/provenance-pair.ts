import { join } from 'node:path'
import { createDrafts } from './entries.ts'
import { type Connection, openConnections } from './http-load.ts'
import type { Side } from './pair.ts'
import { claimOf, type LibraryProvenance, openLibraryProvenance } from './provenance-library.ts'
import type { Recorder } from './recorder.ts'
import { startOurs } from './servers.ts'
import { callers, inCallers } from './sqlite-writes.ts'

const addsPerSlice = 20 * callers
const otherClaims = 10_000
const decisionsPerSlice = 100

/** What an add costs beside a put, and whether decisions grow with a subject. */
export async function benchProvenance(recorder: Recorder, folder: string): Promise<void> {
  await benchAcknowledged(recorder, folder)
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
  if (!recorder.wants('httpAdd', 'httpAddVerbatim')) return
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
  const common = { operations: addsPerSlice, reference: put }
  try {
    await recorder.compare('httpAdd', { ...common, judged: adding(true) })
    await recorder.compare('httpAddVerbatim', { ...common, judged: adding(false) })
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

/** The same conflicts, for a subject with thousands of other claims and for subjects with none. */
async function benchOtherClaims(recorder: Recorder, folder: string): Promise<void> {
  if (!recorder.wants('claims')) return
  const ours = await openLibraryProvenance(join(folder, 'provenance-claims.db'))
  try {
    await ours.fillClaims('much', otherClaims)
    await recorder.compare('claims', {
      operations: decisionsPerSlice,
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

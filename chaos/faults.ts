import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from './caller.ts'
import { postgresStrikes } from './faults-postgres.ts'
import { begin } from './phase.ts'
import { type Fault, type FaultKind, refs } from './plan.ts'
import { poisonJob } from './poison-job.ts'
import type { Site } from './site.ts'
import { count, type Tally } from './tally.ts'
import { waitFor } from './wait-for.ts'
import { entriesPath } from './wire.ts'

/** Each fault, from its beginning until everything is restored. */
export type Scene = {
  readonly site: Site
  readonly tally: Tally
  /** One per tenant. */
  readonly callers: readonly Caller[]
  /** That of the tenant with the poison jobs. */
  readonly poison: Caller
}

/** Far enough for every lease to expire, and for daily jobs to become due; within the day for which keys are kept. */
const jumpMsMax = 2 * 60 * 60 * 1_000
/** Free bytes on the disk of a server before it is full. */
const roomBytes = 256 * 1_024
const shellBlockBytes = 512
const refusalsWanted = 5
const fillingBytes = 60_000
const fillsMax = 400

export type Strike = (scene: Scene, fault: Fault) => Promise<void>

const strikes: Readonly<Record<FaultKind, Strike>> = {
  ...postgresStrikes,
  'poison-job': poisonJob,
  kill: ({ site }, { server }) => site.fleet.replace(server, 'SIGKILL'),
  restart: ({ site }, { server }) => site.fleet.replace(server, 'SIGTERM'),
  async 'clock-forward'({ site }, { size }) {
    site.clock.set(site.clock.shiftMs + (jumpMsMax * size) / 1_000)
  },
  async 'clock-back'({ site }, { size }) {
    site.clock.set(site.clock.shiftMs - (jumpMsMax * size) / 1_000)
  },
  /** The operating system refuses to let any file of the server grow further, as it does on a full disk. */
  async 'full-disk'({ site, tally, callers }, { server }) {
    const files = ['colophon.db', 'colophon.db-wal'].map((name) => sizeOf(join(site.dataDir, name)))
    const blocks = Math.ceil((Math.max(...files) + roomBytes) / shellBlockBytes)
    await site.fleet.replace(server, 'SIGKILL', `trap '' XFSZ; ulimit -f ${blocks}`)
    // The error for a file that must not grow differs from that of a full disk: SQLite reports it as an I/O error.
    const full = () => (tally.codes.get('storage_full') ?? 0) + (tally.codes.get('storage_unavailable') ?? 0)
    const enough = full() + refusalsWanted
    const filling = fill(site, callers, () => full() >= enough)
    await waitFor(() => full() >= enough)
    await site.fleet.replace(server, 'SIGKILL')
    await filling
  },
  /** A delivery that no receiver accepts: it becomes a dead letter, and delays nothing else. */
  async 'poisoned-job'({ site, callers }) {
    for (const [index, { ledger }] of site.tenants.entries()) {
      const caller = callers[index]
      const name = `poison-${ledger.runs.size}`
      const body = { workflowId: 'fails', inputs: { name } }
      const answer = await caller?.callUntilAnswered({ method: 'POST', path: '/v1/runs', body, idempotencyKey: name })
      if (answer?.status === 201) ledger.runs.set(answer.body.runId, { name, workflow: 'fails' })
    }
  },
}

export async function strike(scene: Scene, fault: Fault): Promise<void> {
  using _ = begin(scene.tally, `the fault ${fault.kind}`)
  await strikes[fault.kind](scene, fault)
  count(scene.tally.faults, fault.kind)
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

/** Writes until the disk is full. Refused calls are retried, and stored when there is space. */
async function fill({ tenants }: Site, callers: readonly Caller[], isFull: () => boolean): Promise<void> {
  const [tenant, caller] = [tenants[0], callers[0]]
  if (!tenant || !caller) return
  const [ref] = refs
  for (let number = 0; number < fillsMax && !isFull(); number++) {
    const name = `filling-${tenant.ledger.entries.size}`
    const content = `${name} ${'x'.repeat(fillingBytes)}`
    const call = { method: 'POST', path: entriesPath(ref), body: { content }, idempotencyKey: name }
    const answer = await caller.callUntilAnswered(call)
    if (answer?.status === 201) tenant.ledger.entries.set(answer.body.id, { ref, content, isDeleted: false })
  }
}

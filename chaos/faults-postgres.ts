import type { ChaosDatabase } from './database.ts'
import type { Scene, Strike } from './faults.ts'
import { waitFor } from './wait-for.ts'

/** Faults that only a database server behind a connection can cause. */

const cutsPerFault = 3
const refusalsWanted = 3
/** More than the lease of a job. */
const leaseMsOver = 15_000
const standingMsMax = 6_000
const skewMsMax = 30 * 60 * 1_000

function databaseOf({ site }: Scene): ChaosDatabase {
  if (!site.database) throw new Error('This fault needs a database server.')
  return site.database
}

/** Until clients have been refused for this reason some more. */
function untilRefused({ tally }: Scene, code: string): Promise<boolean> {
  const refused = () => tally.codes.get(code) ?? 0
  const enough = refused() + refusalsWanted
  return waitFor(() => refused() >= enough)
}

function untilWorkedOn({ tally }: Scene, operations: number, msMax?: number): Promise<boolean> {
  const enough = tally.succeeded + operations
  return waitFor(() => tally.succeeded >= enough, msMax)
}

const cut =
  (moment: 'before commit' | 'after commit'): Strike =>
  async (scene) => {
    const { cutter } = databaseOf(scene)
    for (let number = 0; number < cutsPerFault; number++) {
      const before = cutter.cuts
      cutter.cutNext(moment)
      await waitFor(() => cutter.cuts > before)
    }
  }

export const postgresStrikes = {
  'cut-before-commit': cut('before commit'),
  'cut-after-commit': cut('after commit'),
  async 'cut-all'(scene) {
    for (let number = 0; number < cutsPerFault; number++) {
      databaseOf(scene).cutter.cutAll()
      await untilWorkedOn(scene, 5)
    }
  },
  terminate: (scene) => databaseOf(scene).terminate(),
  async 'database-kill'(scene) {
    databaseOf(scene).kill()
    await untilRefused(scene, 'storage_unavailable')
    await databaseOf(scene).restart()
  },
  async 'database-full'(scene) {
    await databaseOf(scene).setFull(true)
    await untilRefused(scene, 'storage_full')
    await databaseOf(scene).setFull(false)
  },
  /** The clocks of two servers differ for a while, by more than any lease. */
  async 'clock-skew'(scene, { server, size }) {
    const { clock } = scene.site
    const isAhead = size % 2 === 0
    clock.skew(server, (isAhead ? 1 : -1) * (leaseMsOver + (skewMsMax * size) / 1_000))
    await untilWorkedOn(scene, 40)
    clock.set(clock.shiftMs)
  },
  /**
   * A server is suspended in the middle of a run. Its lease expires, the other server takes the run over, and then the
   * first one resumes where it was.
   */
  async 'lease-race'(scene, { server }) {
    const { site, callers } = scene
    const [tenant, caller] = [site.tenants[0], callers[0]]
    const url = site.fleet.urlAt(server)
    if (!tenant || !caller || url === null) return
    const name = `race-${tenant.ledger.runs.size}`
    const target = { url, key: tenant.key }
    const body = { workflowId: 'long', inputs: { name } }
    // Sent to this server only, because it must drive the run itself.
    const answer = await caller.callUntilAnswered(
      { method: 'POST', path: '/v1/runs', body, idempotencyKey: name },
      target,
    )
    if (answer?.status !== 201) return
    tenant.ledger.runs.set(answer.body.runId, { name, workflow: 'long' })
    site.fleet.signal(server, 'SIGSTOP')
    site.clock.set(site.clock.shiftMs + leaseMsOver)
    // If it is suspended inside a transaction, its tenant waits too.
    await untilWorkedOn(scene, 20, standingMsMax)
    site.fleet.signal(server, 'SIGCONT')
  },
} satisfies Record<string, Strike>

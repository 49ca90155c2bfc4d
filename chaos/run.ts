import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, createCaller } from './caller.ts'
import { checkAll } from './checks/all.ts'
import { createClient } from './client.ts'
import { type Scene, strike } from './faults.ts'
import { follow } from './follower.ts'
import { type DatabaseName, faultsOf, operationsOf, roundOf } from './plan.ts'
import { preparePoison, prepareTenant } from './prepare.ts'
import { randomOf } from './random.ts'
import { type Report, reportOf } from './report.ts'
import { settle } from './settle.ts'
import { openSite, type SiteTenant } from './site.ts'
import { createTally } from './tally.ts'
import { waitFor } from './wait-for.ts'
import { overHttp, type Wire } from './wire.ts'

export type ChaosOptions = {
  readonly seed: string
  readonly database: DatabaseName
  /** How long the load and its faults run. */
  readonly seconds: number
  /** Ends when every kind of fault has happened so many times, however long that takes on this machine. */
  readonly rounds?: number
  readonly clients?: number
  /** A proxy between clients and servers, to show that its faults are detected. */
  readonly meddle?: (wire: Wire) => Wire
  readonly onFault?: (kind: string) => void
}

const clientsDefault = 6
/** How long work under way may take after the load has ended. */
const answerMsMax = 60_000
const thinkMsMax = 20

/** Runs the plan of a seed, waits until all work has ended, and checks every acknowledged operation. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const { seed, database, meddle = (wire) => wire } = options
  const tally = createTally()
  const over = new AbortController()
  const wire = meddle(overHttp)
  await using site = await openSite(database, tally)
  const callerOf = (tenant: SiteTenant, name: string, isLossy = false): Caller => {
    const random = randomOf(`${seed}/${name}`)
    return createCaller({ wire, pick: () => site.pick(tenant, random), random, tally, isLossy, over: over.signal })
  }
  const callers = site.tenants.map((tenant) => callerOf(tenant, `tenant/${tenant.id}`))
  for (const [index, tenant] of site.tenants.entries()) await prepareTenant(tenant, callers[index], site)
  for (const tenant of site.tenants) tenant.follower = follow(site, tenant)
  const poison = callerOf(site.poison, 'poison')
  await preparePoison(poison, site)

  const began = Date.now()
  await load({ site, tally, callers, poison }, options, callerOf, over)
  const loaded = Date.now()
  await settle(site, callers, tally)
  const settled = Date.now()
  const checks = await checkAll(site, callers, tally)
  for (const { follower } of site.tenants) await follower?.stop()
  const times = { loadMs: loaded - began, settleMs: settled - loaded, checkMs: Date.now() - settled }
  return reportOf(seed, database, tally, checks, times)
}

async function load(
  scene: Scene,
  { seed, database, seconds, rounds, clients = clientsDefault, onFault }: ChaosOptions,
  callerOf: (tenant: SiteTenant, name: string, isLossy: boolean) => Caller,
  over: AbortController,
): Promise<void> {
  const { site, tally } = scene
  const until = rounds === undefined ? Date.now() + seconds * 1_000 : Number.POSITIVE_INFINITY
  let hasEnded = false
  const working = Array.from({ length: clients }, async (_, number) => {
    const tenant = site.tenants[number % site.tenants.length]
    if (!tenant) return
    const name = `client-${number}`
    const random = randomOf(`${seed}/moments/${number}`)
    const pick = () => site.pick(tenant, random)
    const client = createClient({ name, caller: callerOf(tenant, name, true), ledger: tenant.ledger, pick, random })
    for (const operation of operationsOf(seed, number)) {
      if (hasEnded) return
      await client.perform(operation)
      await pause(random.below(thinkMsMax))
    }
  })
  let left = (rounds ?? Number.POSITIVE_INFINITY) * roundOf(database, seconds).length
  for (const fault of faultsOf(seed, database, seconds)) {
    const due = tally.succeeded + fault.afterOperations
    await waitFor(() => tally.succeeded >= due || Date.now() >= until)
    if (left-- <= 0 || Date.now() >= until) break
    onFault?.(fault.kind)
    await strike(scene, fault)
  }
  hasEnded = true
  const overdue = setTimeout(() => over.abort(), answerMsMax)
  await Promise.all(working)
  clearTimeout(overdue)
}

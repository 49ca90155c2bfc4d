import { setTimeout as pause } from 'node:timers/promises'
import { type Caller, createCaller } from './caller.ts'
import { checkAll } from './checks/all.ts'
import { createClient } from './client.ts'
import { type Scene, strike } from './faults.ts'
import { follow } from './follower.ts'
import { endOf } from './phase.ts'
import { type DatabaseName, faultsOf, operationsOf, roundOf } from './plan.ts'
import { preparePoison, prepareTenant } from './prepare.ts'
import { randomOf } from './random.ts'
import { type Report, reportOf } from './report.ts'
import { settle } from './settle.ts'
import { openSite, type Site, type SiteTenant } from './site.ts'
import { createTally, type Tally } from './tally.ts'
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
/** How long a phase may take beyond the seconds of the load. That is much: it only ends what would never end. */
const slackSeconds = 240
const thinkMsMax = 20

/** Runs the plan of a seed, waits until all work has ended, and checks every acknowledged operation. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const tally = createTally()
  const over = new AbortController()
  try {
    return await run(options, tally, over.signal)
  } catch (thrown) {
    // Closing may have failed because of the first error.
    const error: Error = thrown instanceof SuppressedError ? thrown.suppressed : thrown
    const problems = [...tally.problems].flatMap(([check, all]) => all.map((problem) => `\n${check}: ${problem}`))
    throw new Error(`${error.message}${problems.join('')}`, { cause: error })
  } finally {
    over.abort()
  }
}

async function run(options: ChaosOptions, tally: Tally, over: AbortSignal): Promise<Report> {
  const { seed, database, seconds, meddle = (wire) => wire } = options
  const endOfPhase = <T>(phase: string, work: Promise<T>) => endOf(tally, phase, seconds + slackSeconds, work)
  const wire = meddle(overHttp)
  await using site = await endOfPhase('Opening', openSite(database, tally))
  const callerOf = (tenant: SiteTenant, name: string, isLossy = false): Caller => {
    const random = randomOf(`${seed}/${name}`)
    return createCaller({ wire, pick: () => site.pick(tenant, random), random, tally, isLossy, over })
  }
  const callers = site.tenants.map((tenant) => callerOf(tenant, `tenant/${tenant.id}`))
  const poison = callerOf(site.poison, 'poison')
  await endOfPhase('Preparing', prepare(site, callers, poison))
  for (const tenant of site.tenants) tenant.follower = follow(site, tenant)

  const began = Date.now()
  await endOfPhase('The load', load({ site, tally, callers, poison }, options, callerOf, over))
  const loaded = Date.now()
  await endOfPhase('Settling', settle(site, callers, tally))
  const settled = Date.now()
  const checks = await endOfPhase('Checking', checkAll(site, callers, tally))
  await endOfPhase('Stopping the followers', Promise.all(site.tenants.map(({ follower }) => follower?.stop())))
  const times = { loadMs: loaded - began, settleMs: settled - loaded, checkMs: Date.now() - settled }
  return reportOf(seed, database, tally, checks, times)
}

async function prepare(site: Site, callers: readonly Caller[], poison: Caller): Promise<void> {
  for (const [index, tenant] of site.tenants.entries()) await prepareTenant(tenant, callers[index], site)
  await preparePoison(poison, site)
}

async function load(
  scene: Scene,
  { seed, database, seconds, rounds, clients = clientsDefault, onFault }: ChaosOptions,
  callerOf: (tenant: SiteTenant, name: string, isLossy: boolean) => Caller,
  over: AbortSignal,
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
      if (hasEnded || over.aborted) return
      await client.perform(operation)
      await pause(random.below(thinkMsMax))
    }
  })
  let left = (rounds ?? Number.POSITIVE_INFINITY) * roundOf(database, seconds).length
  for (const fault of faultsOf(seed, database, seconds)) {
    const due = tally.succeeded + fault.afterOperations
    await waitFor(() => tally.succeeded >= due || Date.now() >= until)
    if (left-- <= 0 || Date.now() >= until || over.aborted) break
    onFault?.(fault.kind)
    await strike(scene, fault)
  }
  hasEnded = true
  await Promise.all(working)
}

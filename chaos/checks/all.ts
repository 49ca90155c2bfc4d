import type { Caller } from '../caller.ts'
import type { Site } from '../site.ts'
import type { Tally } from '../tally.ts'
import { changesWereTold } from './changes.ts'
import type { Check, TenantCheck } from './check.ts'
import { entriesAreThere, eventsAreTaken, forgottenIsGone, memoriesAreMade } from './memory.ts'
import { replaysAreEqual, runsAreWhole, runsWroteOnce, webhooksWereTold } from './runs.ts'
import { auditIsWhole, commandsAreContent, jobsAreOver, schedulesRanOnce } from './upkeep.ts'

const tenantChecks: Readonly<Record<string, TenantCheck>> = {
  'entries: acknowledged once, there once': entriesAreThere,
  'source events: taken once, under the promised job': eventsAreTaken,
  'memories: made once, edited once': memoriesAreMade,
  'forgetting: gone, with a receipt': forgottenIsGone,
  'runs: made once, told without gap or repetition': runsAreWhole,
  'runs: each write stored once and told once': runsWroteOnce,
  'webhooks: every event told, always the same': webhooksWereTold,
  'jobs: nothing left, dead letters only where hopeless': jobsAreOver,
  'schedules: one job for each time asked': schedulesRanOnce,
  'changes: every entry told, in order, no change twice': changesWereTold,
  'audit: chain and contents hold': auditIsWhole,
  'replays: equal to their runs': replaysAreEqual,
}

/** What is watched while the load runs; a check without a problem passed. */
const watched = [
  'every call is answered',
  'every failure has a code',
  'no internal error',
  'what is malformed is refused',
  'what was acknowledged is read at once',
  'nothing acknowledged is lost',
  'nothing is done twice',
  'no server ends by itself',
  'everything comes to its end',
] as const

/** Told only where there was one: short loads have none. */
const givenUp = 'a deadly job is given up, as poisoned'

export async function checkAll(site: Site, callers: readonly Caller[], tally: Tally): Promise<Check[]> {
  const checks: Check[] = []
  for (const [name, check] of Object.entries(tenantChecks)) {
    const found = await Promise.all(
      site.tenants.map(async (tenant, index) => {
        const caller = callers[index]
        if (!caller) return { looked: 0, problems: [] }
        // A check that cannot even be made has failed.
        return check(tenant, caller, site).catch((error: Error) => ({ looked: 0, problems: [error.message] }))
      }),
    )
    const looked = found.reduce((sum, part) => sum + part.looked, 0)
    checks.push({ name, looked, problems: found.flatMap(({ problems }) => problems) })
  }
  await site.fleet.endAll('SIGTERM')
  checks.push({ name: 'doctor and audit verify --contents are content', ...(await commandsAreContent(site)) })
  const seen: Check[] = watched.map((name) => ({
    name,
    looked: tally.succeeded,
    problems: tally.problems.get(name) ?? [],
  }))
  const deadly = tally.faults.get('deadly-job') ?? 0
  if (deadly > 0) seen.push({ name: givenUp, looked: deadly, problems: tally.problems.get(givenUp) ?? [] })
  return [...seen, ...checks]
}

import type { Caller } from '../caller.ts'
import { begin } from '../phase.ts'
import type { Site } from '../site.ts'
import type { Tally } from '../tally.ts'
import { changesWereReceived } from './changes.ts'
import type { Check, TenantCheck } from './check.ts'
import { entriesAreStored, eventsAreRecorded, forgottenIsErased, memoriesAreStored } from './memory.ts'
import { consolidatedOnce, distilledOnce, heartbeatsAreAChain, promisesFiredOnce } from './memory-jobs.ts'
import { replaysAreEqual, runsAreWhole, runsWroteOnce, webhooksWereDelivered } from './runs.ts'
import { auditIsWhole, commandsAreContent, jobsHaveEnded, schedulesRanOnce } from './upkeep.ts'

const tenantChecks: Readonly<Record<string, TenantCheck>> = {
  'entries: acknowledged once, there once': entriesAreStored,
  'source events: taken once, under the promised job': eventsAreRecorded,
  'memories: made once, edited once': memoriesAreStored,
  'forgetting: erased, with a receipt': forgottenIsErased,
  'runs: created once, recorded without gap or repetition': runsAreWhole,
  'runs: each write stored once and recorded once': runsWroteOnce,
  'webhooks: every event delivered, always the same': webhooksWereDelivered,
  'jobs: none left, dead letters only where expected': jobsHaveEnded,
  'schedules: one job for each manual start': schedulesRanOnce,
  'commitments: each fired once': promisesFiredOnce,
  'distillations: one archive each': distilledOnce,
  'consolidations: merged once': consolidatedOnce,
  'heartbeats: no tick lost or doubled': heartbeatsAreAChain,
  'changes: every entry received, in order, no change twice': changesWereReceived,
  'audit: chain and contents hold': auditIsWhole,
  'replays: equal to their runs': replaysAreEqual,
}

/** What is checked while the load runs. A check without a problem has passed. */
const watched = [
  'every call is answered',
  'every failure has a code',
  'no internal error',
  'what is malformed is refused',
  'what was acknowledged is read at once',
  'nothing acknowledged is lost',
  'nothing is done twice',
  'no server ends by itself',
  'every server stops when it gets the signal',
  'all work ends',
] as const

/** Reported only if there was one: short loads have none. */
const givenUp = 'a poison job becomes a dead letter'

export async function checkAll(site: Site, callers: readonly Caller[], tally: Tally): Promise<Check[]> {
  const checks: Check[] = []
  for (const [name, check] of Object.entries(tenantChecks)) {
    using _ = begin(tally, `the check "${name}"`)
    const found = await Promise.all(
      site.tenants.map(async (tenant, index) => {
        const caller = callers[index]
        if (!caller) return { checked: 0, problems: [] }
        // A check that cannot run has failed.
        return check(tenant, caller, site).catch((error: Error) => ({ checked: 0, problems: [error.message] }))
      }),
    )
    const checked = found.reduce((sum, part) => sum + part.checked, 0)
    checks.push({ name, checked, problems: found.flatMap(({ problems }) => problems) })
  }
  await site.fleet.endAll('SIGTERM')
  checks.push({ name: 'doctor and audit verify --contents are content', ...(await commandsAreContent(site, tally)) })
  const seen: Check[] = watched.map((name) => ({
    name,
    checked: tally.succeeded,
    problems: tally.problems.get(name) ?? [],
  }))
  const poison = tally.faults.get('poison-job') ?? 0
  if (poison > 0) seen.push({ name: givenUp, checked: poison, problems: tally.problems.get(givenUp) ?? [] })
  return [...seen, ...checks]
}

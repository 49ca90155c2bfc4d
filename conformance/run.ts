// Runs scenarios against one host, some at a time, and reports the outcome of each.
import { type Check, createCheck, type JsonObject, type Outcome, type Scenario, type Target } from './harness.ts'
import { sendRequest } from './http.ts'
import { withoutKeys } from './keys.ts'
import { Blocked, CameTooLate, Inapplicable } from './outcome.ts'
import { type Published, withoutSchemas } from './published.ts'

export type Result = {
  readonly id: string
  readonly facts: string
  readonly title: string
  readonly outcome: Outcome
  /** What it asserted, in words; a failing assertion is the last. */
  readonly asserted: readonly string[]
  /** Why it did not pass; empty for a pass. */
  readonly reason: string
  readonly durationMs: number
}

export type RunOptions = {
  readonly published?: Published
  /** How many scenarios run at a time (default 1). Those that must be alone come last, one after the other. */
  readonly jobs?: number
  /** How long scenarios wait for what a host does soon. */
  readonly patienceMs?: number
  /** A scenario that takes longer than this has failed. */
  readonly scenarioTimeoutMs?: number
  /** Called as scenarios end, which is not their order. */
  readonly onResult?: (result: Result) => void
}

/** How often a scenario begins that came too late; a machine that is this slow cannot be judged. */
const attemptsMax = 4
const defaultPatienceMs = 20_000

export async function fetchDiscovery(target: Target): Promise<JsonObject> {
  const answer = await sendRequest(target, 'GET', '/.well-known/openwop', { auth: 'none' }).catch((error: Error) => {
    throw new Error(`${new URL(target.url).origin} does not answer: ${String(error.cause ?? error.message)}`)
  })
  if (answer.status !== 200)
    throw new Error(`GET /.well-known/openwop answered ${answer.status}, so this is no OpenWOP host`)
  return answer.body
}

/** The results, in the order of the scenarios. */
export async function runConformance(
  target: Target,
  scenarios: readonly Scenario[],
  options: RunOptions = {},
): Promise<Result[]> {
  const discovery = await fetchDiscovery(target)
  const results = new Map<Scenario, Result>()
  // Workers share the iterator, so each takes the next free scenario.
  const work = async (queue: Iterable<Scenario>): Promise<void> => {
    for (const scenario of queue) {
      const result = await runScenario(target, discovery, scenario, options)
      results.set(scenario, result)
      options.onResult?.(result)
    }
  }
  const together = scenarios.filter(({ isAlone }) => isAlone !== true).values()
  await Promise.all(Array.from({ length: options.jobs ?? 1 }, () => work(together)))
  await work(scenarios.filter(({ isAlone }) => isAlone === true))
  return scenarios.flatMap((scenario) => results.get(scenario) ?? [])
}

type Ending = { readonly outcome: Outcome | 'too-late'; readonly reason: string }

async function runScenario(
  target: Target,
  discovery: JsonObject,
  scenario: Scenario,
  options: RunOptions,
): Promise<Result> {
  const { id, facts, title } = scenario
  const started = Date.now()
  for (let attempt = 1; ; attempt += 1) {
    const check = createCheck({
      target,
      discovery,
      published: options.published ?? withoutSchemas,
      patienceMs: options.patienceMs ?? defaultPatienceMs,
    })
    const { outcome, reason } = await endingOf(scenario, check, options.scenarioTimeoutMs ?? 120_000)
    if (outcome === 'too-late' && attempt < attemptsMax) continue
    return {
      id,
      facts,
      title,
      outcome: outcome === 'too-late' ? 'blocked' : outcome,
      asserted: check.asserted.map((text) => withoutKeys(target, text)),
      reason: withoutKeys(target, reason),
      durationMs: Date.now() - started,
    }
  }
}

async function endingOf(scenario: Scenario, check: Check, timeoutMs: number): Promise<Ending> {
  try {
    await withinTime(scenario.run(check), timeoutMs)
    return check.asserted.length === 0
      ? { outcome: 'blocked', reason: 'it asserted nothing' }
      : { outcome: 'executed-pass', reason: '' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof Inapplicable) return { outcome: 'inapplicable', reason }
    if (error instanceof Blocked) return { outcome: 'blocked', reason }
    if (error instanceof CameTooLate) return { outcome: 'too-late', reason }
    const cause = error instanceof TypeError ? ` (${String(error.cause ?? error.name)})` : ''
    return { outcome: 'executed-fail', reason: reason + cause }
  }
}

async function withinTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not done in ${timeoutMs} ms`)), timeoutMs)
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

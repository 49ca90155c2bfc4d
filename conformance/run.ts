// Runs scenarios one after the other against one host and says how each ended.
import { createCheck, type JsonObject, type Outcome, type Scenario, type Target } from './harness.ts'
import { sendRequest } from './http.ts'
import { Blocked, Inapplicable } from './outcome.ts'
import { type Published, withoutSchemas } from './published.ts'

export type Result = {
  readonly id: string
  readonly facts: string
  readonly title: string
  readonly outcome: Outcome
  readonly assertions: number
  /** Why it did not pass; empty for a pass. */
  readonly reason: string
  readonly durationMs: number
}

export type RunOptions = {
  readonly published?: Published
  /** A scenario that takes longer than this has failed. */
  readonly scenarioTimeoutMs?: number
  readonly onResult?: (result: Result) => void
}

export async function fetchDiscovery(target: Target): Promise<JsonObject> {
  const answer = await sendRequest(target, 'GET', '/.well-known/openwop', { auth: 'none' }).catch((error: Error) => {
    throw new Error(`${new URL(target.url).origin} does not answer: ${String(error.cause ?? error.message)}`)
  })
  if (answer.status !== 200)
    throw new Error(`GET /.well-known/openwop answered ${answer.status}, so this is no OpenWOP host`)
  return answer.body
}

export async function runConformance(
  target: Target,
  scenarios: readonly Scenario[],
  options: RunOptions = {},
): Promise<Result[]> {
  const discovery = await fetchDiscovery(target)
  const results: Result[] = []
  for (const scenario of scenarios) {
    const result = await runScenario(target, discovery, scenario, options)
    results.push(result)
    options.onResult?.(result)
  }
  return results
}

async function runScenario(
  target: Target,
  discovery: JsonObject,
  scenario: Scenario,
  options: RunOptions,
): Promise<Result> {
  const check = createCheck(target, discovery, options.published ?? withoutSchemas)
  const started = Date.now()
  const end = (outcome: Outcome, reason: string): Result => ({
    id: scenario.id,
    facts: scenario.facts,
    title: scenario.title,
    outcome,
    assertions: check.assertions,
    reason: withoutKeys(target, reason),
    durationMs: Date.now() - started,
  })
  try {
    await withinTime(scenario.run(check), options.scenarioTimeoutMs ?? 120_000)
    return check.assertions === 0 ? end('blocked', 'it asserted nothing') : end('executed-pass', '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof Inapplicable) return end('inapplicable', reason)
    if (error instanceof Blocked) return end('blocked', reason)
    return end(
      'executed-fail',
      error instanceof TypeError ? `${reason} (${String(error.cause ?? error.name)})` : reason,
    )
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

/** A host that echoes a credential fails; the report must not do the same. */
function withoutKeys(target: Target, text: string): string {
  const keys = [target.key, target.keyB, target.lowScopeKey, target.revokedKey]
  return keys.reduce<string>((rest, key) => (key ? rest.replaceAll(key, '[key]') : rest), text)
}

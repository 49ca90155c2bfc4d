import { chain, noop } from '../test/server/runs-calls.ts'
import type { Caller } from './caller.ts'
import { refs } from './plan.ts'
import type { Site, SiteTenant } from './site.ts'
import type { Call } from './wire.ts'
import { agent, hookedEvents, poisonPath, scheduleId, service, workflows } from './workflows.ts'

const host = '/v1/host/colophon'

/** What the load needs: a writer, the workflows, a schedule, a webhook that receives, and one whose receiver never answers. */
export async function prepareTenant({ id }: SiteTenant, caller: Caller | undefined, { receiver }: Site): Promise<void> {
  const hook = (path: string, events: readonly string[]): [string, object] => [
    '/v1/webhooks',
    { url: `${receiver.url}${path}`, events },
  ]
  const wanted: [string, object][] = [
    ['/v1/tenant/service-writers', { service_key: service, authority_rules: { default_priority: 50 } }],
    [`${host}/agents`, agent],
    ...workflows.map((workflow): [string, object] => [`${host}/workflows`, workflow]),
    // Once a year: only manual starts run it.
    [`${host}/schedules`, { id: scheduleId, cron: '0 4 1 1 *', kind: 'colophon.re-redact', payload: { dryRun: true } }],
    // It ticks at once, and as the clocks jump.
    [`${host}/heartbeats`, { predicate: 'count', memoryRef: refs[0], intervalSec: 60 }],
    hook(`/${id}`, hookedEvents),
    hook('/500', ['run.failed']),
  ]
  if (caller) await make(caller, wanted)
}

/** A tenant with poison deliveries: its receiver never answers, and the fault then kills the server that sent one. */
export async function preparePoison(caller: Caller, { receiver }: Site): Promise<void> {
  await make(caller, [
    [`${host}/workflows`, chain('poison', [noop()])],
    ['/v1/webhooks', { url: `${receiver.url}${poisonPath}`, events: ['run.completed'] }],
  ])
}

async function make(caller: Caller, wanted: readonly [string, object][]): Promise<void> {
  for (const [index, [path, body]] of wanted.entries()) {
    const call: Call = { method: 'POST', path, body, idempotencyKey: `prepare-${index}` }
    const answer = await caller.callUntilAnswered(call)
    if (!answer || answer.status > 201) throw new Error(`${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`)
  }
}

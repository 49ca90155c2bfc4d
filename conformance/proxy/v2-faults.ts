// What a host can do wrong in version 2: a fault for each scenario.
import { createHash } from 'node:crypto'
import { asArray, at, isObject, type JsonObject, type Target } from '../harness.ts'
import { inRequestsTo, member, mixTenants, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault, ProxiedAnswer, ProxiedRequest } from './proxy.ts'

type Fits = (request: ProxiedRequest, answer: ProxiedAnswer) => boolean

/** Changes the answers that fit, whatever their status. */
const answers = (fits: Fits, edit: (body: JsonObject) => unknown, status?: number): Fault => ({
  answer: (answer, request) =>
    isObject(answer.body) && fits(request, answer)
      ? { status: status ?? answer.status, body: edit(answer.body) }
      : answer,
})

const same = (body: JsonObject): JsonObject => body
const to =
  (method: string, path: RegExp, status?: number): Fits =>
  (request, answer) =>
    request.method === method && path.test(request.path) && (status === undefined || answer.status === status)

const discovery = to('GET', /^\/\.well-known\/openwop/)
const snapshot = to('GET', /^\/runs\/[^/?:]+$/, 200)
const poll = to('GET', /^\/runs\/[^/]+\/events\/poll/, 200)

const inDocument = (edit: (body: JsonObject) => unknown) => answers(discovery, edit)
const inSnapshot = (edit: (body: JsonObject) => unknown) => answers(snapshot, edit)
const inLog = (edit: (events: readonly JsonObject[]) => readonly unknown[]) =>
  answers(poll, (body) => ({ ...body, events: edit(asArray(body.events) as JsonObject[]) }))
const inEvents = (edit: (event: JsonObject) => JsonObject) => inLog((events) => events.map(edit))
const recoded = (fits: Fits, error: string) => answers(fits, (body) => ({ ...body, error }))

/** The log of forks has no writes. */
function forgetfulForks(): Fault {
  const forks = new Set<unknown>()
  return {
    answer(answer, request) {
      if (request.path.endsWith(':fork')) forks.add(at(answer.body, 'runId'))
      if (!forks.has(at(answer.body, 'runId')) || !isObject(answer.body) || !Array.isArray(answer.body.events))
        return answer
      const events = answer.body.events.filter((event) => at(event, 'type') !== 'memory.written')
      return { ...answer, body: { ...answer.body, events } }
    },
  }
}

/** Says that a webhook was removed, and reads something instead. */
function keepsWebhooks(): Fault {
  const isRemoval = ({ method, path }: ProxiedRequest) => method === 'DELETE' && path.startsWith('/webhooks/')
  return {
    request: (request) => (isRemoval(request) ? { ...request, method: 'GET', path: '/openapi.json' } : request),
    answer: (answer, request) => (isRemoval(request) ? { status: 204, body: null } : answer),
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const fault = (scenario: string, name: string, reason: RegExp, what: Fault): NoticedFault => ({
  name: `${scenario}: ${name}`,
  scenario,
  reason,
  fault: what,
})

const framed: readonly NoticedFault[] = [
  fault(
    'v2-capabilities-root-closed',
    'a key too many',
    /faults of the document/,
    inDocument((body) => ({ ...body, profiles: [] })),
  ),
  fault(
    'v2-preferred-version-default',
    'prefers 2',
    /preferredVersion/,
    inDocument((body) => ({ ...body, preferredVersion: '2.0' })),
  ),
  fault(
    'v2-version-header-honored',
    'one document',
    /documents differ/,
    inDocument(({ protocolVersions }) => ({ protocolVersions })),
  ),
  fault(
    'v2-dual-stack-negotiation',
    'another code',
    /unlisted version.*code/,
    recoded(to('GET', /./, 406), 'not_acceptable'),
  ),
  fault(
    'v2-advertised-path-space-served',
    'no audit',
    /\/audit\/verify is served/,
    answers(to('GET', /^\/audit\/verify/), same, 404),
  ),
  fault('v2-gated-family-not-found', '501', /\/prompts: status/, answers(to('GET', /^\/prompts/), same, 501)),
  fault(
    'v2-credential-revoked',
    'the code of version 1',
    /revoked key: code/,
    recoded(to('GET', /^\/agents/, 401), 'key_revoked'),
  ),
  fault(
    'v2-lane-issuer-advertised',
    'another issuer',
    /issuer of the owner/,
    inSnapshot((body) => ({ ...body, owner: { tenant: 'x', subject: { issuer: 'urn:x' } } })),
  ),
  fault(
    'v2-bound-id-path-projection',
    'a bare id',
    /its id is bound/,
    inSnapshot((body) => ({ ...body, runId: String(body.runId).split('/')[1] })),
  ),
  fault(
    'v2-id-grammar',
    'looks foreign ids up',
    /another tenant: status/,
    answers(to('GET', /^\/runs\/another/), same, 200),
  ),
  fault(
    'v2-bound-id-kinds',
    'events with bare ids',
    /runId of event/,
    inEvents((event) => ({ ...event, runId: String(event.runId).split('/')[1] })),
  ),
]

const ofRuns: readonly NoticedFault[] = [
  fault(
    'v2-era-key',
    'the era of version 1',
    /era of a new run/,
    inSnapshot((body) => ({ ...body, eventLogSchemaVersion: 2 })),
  ),
  fault('v2-era-stamp-universal', 'no era', /a run of version 2/, inSnapshot(without('eventLogSchemaVersion'))),
  fault('v2-run-cancel', 'cancels twice', /terminal run: status/, answers(to('POST', /\/cancel$/, 409), same, 200)),
  fault(
    'v2-run-bulk-cancel',
    'another order',
    /in order/,
    answers(to('POST', /bulk-cancel$/, 200), (body) => ({ results: asArray(body.results).toReversed() })),
  ),
  fault(
    'v2-run-pause-resume',
    'another code',
    /second pause: code/,
    answers(to('POST', /:pause$/, 409), (body) => ({ ...body, error: 'run_terminal' })),
  ),
  fault(
    'v2-run-options-limits',
    'drops tags',
    /^tags/,
    inSnapshot((body) => ({ ...body, tags: [] })),
  ),
  fault(
    'v2-configurable-closed',
    'accepts every key',
    /unknown key: status/,
    answers(to('POST', /^\/runs$/, 400), same, 201),
  ),
  fault(
    'v2-run-list',
    'oldest first',
    /newer run/,
    answers(to('GET', /^\/runs\?limit=100/), (body) => ({ runs: asArray(body.runs).toReversed() })),
  ),
  fault(
    'v2-run-completed-outputs',
    'no outputs',
    /its outputs/,
    inEvents((event) => ({ ...event, payload: without('outputs')(member(event.payload)) })),
  ),
  fault(
    'v2-run-fork-prefix',
    'keeps the event at the point',
    /event at the point/,
    inRequestsTo(/:fork$/, (request) => ({
      ...request,
      body: { ...request.body, fromSeq: Number(request.body?.fromSeq) + 1 },
    })),
  ),
  fault(
    'v2-run-fork-refusals',
    'another status',
    /beyond the log: status/,
    answers(to('POST', /:fork$/, 422), same, 400),
  ),
  fault(
    'v2-effect-seam-manifest',
    'unguarded',
    /is guarded/,
    answers(to('GET', /effect-seams$/), (body) => ({
      ...body,
      seams: asArray(body.seams).map((seam) => ({ ...member(seam), guarded: false })),
    })),
  ),
  fault('v2-effect-ledger', 'no list', /effects is a list/, answers(to('GET', /\/effects$/), without('effects'))),
  fault(
    'v2-idempotency-key-grammar',
    'another code',
    /short key: code/,
    recoded(to('POST', /^\/runs$/, 400), 'validation_error'),
  ),
]

const ofKeysAndSecrets: readonly NoticedFault[] = [
  fault(
    'v2-idempotency-in-flight',
    'a run for each',
    /one run is made/,
    answers(to('POST', /^\/runs$/, 201), (body) => ({ ...body, runId: `x/${crypto.randomUUID()}` })),
  ),
  fault(
    'v2-idempotency-final-refusal',
    'forgets refusals',
    /another body with the key: code/,
    recoded((request, answer) => answer.status === 409 && request.body?.reason !== undefined, 'run_terminal'),
  ),
  fault(
    'v2-secret-canary-absent',
    'shows the secret',
    /the secret is not in snapshot/,
    inSnapshot((body) => ({
      ...body,
      variables: { secretSha256: sha256('in the open'), secretLength: 11, a: 'in the open' },
    })),
  ),
  fault(
    'v2-event-error-codes',
    'a code of its own',
    /is registered/,
    inEvents((event) => ({ ...event, payload: { ...member(event.payload), error: { code: 'out_of_tea' } } })),
  ),
  fault(
    'v2-approver-enforced',
    'anyone approves',
    /not listed: status/,
    answers(to('POST', /\/gate$/, 403), same, 200),
  ),
  fault(
    'v2-webhook-generated-secret',
    'keeps it to itself',
    /generated secret is shown/,
    answers(to('POST', /^\/webhooks$/, 201), without('secret')),
  ),
  fault(
    'v2-webhook-secret-rotation',
    'the same again',
    /the next secret/,
    answers(to('POST', /rotate-secret$/), without('secret')),
  ),
  fault(
    'v2-webhook-delivery-isolation',
    'does not deliver',
    /while others do not answer/,
    inRequestsTo(/^\/webhooks$/, (request) => ({
      ...request,
      body: {
        ...request.body,
        events: asArray(request.body?.events).map((type) => (type === 'run.completed' ? 'run.failed' : type)),
      },
    })),
  ),
  fault('v2-webhook-unregister-stops-delivery', 'keeps webhooks', /deliveries after/, keepsWebhooks()),
]

const ofEvents: readonly NoticedFault[] = [
  fault(
    'v2-event-type-closed',
    'a member too many',
    /unknown members/,
    inEvents((event) => ({ ...event, extra: 1 })),
  ),
  fault(
    'v2-terminal-event-once',
    'ends twice',
    /terminal events/,
    inLog((events) => [...events, events.at(-1)]),
  ),
  fault(
    'v2-poll-cursor-v2',
    'members of version 1',
    /its members/,
    answers(poll, (body) => ({ ...body, isComplete: true })),
  ),
  fault(
    'v2-sse-last-event-id',
    'another code',
    /unknown mode: code/,
    recoded(to('GET', /streamMode=everything/, 400), 'validation_error'),
  ),
  fault(
    'v2-sse-last-event-id-cursor',
    'sends something past the end',
    /past the end/,
    inRequestsTo(/streamMode=debug/, (request) => ({ ...request, path: request.path.replace('debug', 'values') })),
  ),
  fault('v2-interrupt-token-scheme', '404', /unknown key: status/, answers(to('GET', /ow2/, 401), same, 404)),
  fault(
    'v2-interrupt-resolve-terminal',
    'resolves twice',
    /second answer: status/,
    answers(to('POST', /\/interrupts\//, 409), same, 200),
  ),
  fault(
    'v2-approval-reject-disposition',
    'no decision',
    /recorded decision/,
    inEvents((event) => ({ ...event, payload: without('decision')(member(event.payload)) })),
  ),
  fault('v2-memory-attribution-replay-stable', 'drops writes', /writes of the replay/, forgetfulForks()),
  fault(
    'v2-webhook-durable-delivery',
    'never again',
    /maxAttempts/,
    inDocument((body) => ({ ...body, webhooks: { ...member(body.webhooks), retryPolicy: { maxAttempts: 1 } } })),
  ),
  fault(
    'v2-webhook-durable-delivery.dead-letters',
    'another status',
    /lastStatus/,
    answers(to('GET', /\/dead-letters$/, 200), ({ deliveries }) => ({
      deliveries: asArray(deliveries).map((letter) =>
        at(letter, 'lastStatus') === undefined ? letter : { ...member(letter), lastStatus: 204 },
      ),
    })),
  ),
  fault(
    'v2-webhook-delivery-shape',
    'another secret',
    /its signature/,
    answers(to('POST', /^\/webhooks$/, 201), (body) => ({ ...body, secret: 'another' })),
  ),
  fault(
    'v2-webhook-unregister',
    'removes twice',
    /second DELETE: status/,
    answers(to('DELETE', /^\/webhooks\//, 404), same, 200),
  ),
  fault(
    'v2-webhook-egress-refusal',
    'accepts every address',
    /no address: status/,
    answers(to('POST', /^\/webhooks$/, 400), same, 201),
  ),
]

export const v2Faults = (target: Target): readonly NoticedFault[] => [
  ...framed,
  ...ofRuns,
  ...ofKeysAndSecrets,
  ...ofEvents,
  fault(
    'v2-memory-cross-tenant-isolation',
    'mixes tenants',
    /does not see it/,
    mixTenants(/^\/runs/, { from: target.keyB ?? '', to: target.key }),
  ),
]

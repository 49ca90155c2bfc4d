// Version 2: webhooks.
import { createHmac } from 'node:crypto'
import { asArray, type Check, type JsonObject, pause } from '../../harness.ts'
import { type Delivery, type Receiver, startReceiver } from '../../receiver.ts'
import { boundId, scenarioV2, segmentOf, two, type V2 } from '../../v2.ts'

const facts = 'v2 9, 14'
const noop = { workflowId: 'conformance-noop' }
const parse = ({ raw }: Delivery): JsonObject => JSON.parse(raw) as JsonObject

type Subscription = { readonly receiver: Receiver; readonly webhookId: string; readonly secret: string }

async function withSubscription(
  check: Check,
  v2: V2,
  use: (given: Subscription) => Promise<void>,
  refuses?: Parameters<typeof startReceiver>[0],
): Promise<void> {
  v2.needs('webhooks')
  if (!check.target.webhookReceiver) check.blocked('the host cannot reach a receiver here (--webhook-receiver)')
  const receiver = await startReceiver(refuses)
  let webhookId: string | null = null
  try {
    const body = { url: receiver.url, events: ['run.completed'] }
    const made = await v2.http('POST', '/webhooks', { body })
    if (made.body.error === 'webhook_url_rejected') check.blocked('the host refuses a loopback receiver')
    check.equal(made.status, 201, 'POST /webhooks')
    check.matches(made.body.webhookId, boundId, 'the id is bound to its tenant')
    webhookId = String(made.body.webhookId)
    check.ok(typeof made.body.secret === 'string', 'a generated secret is shown')
    await use({ receiver, webhookId, secret: String(made.body.secret) })
  } finally {
    if (webhookId !== null) await v2.http('DELETE', `/webhooks/${segmentOf(webhookId)}`)
    await receiver.close()
  }
}

/** Registers a webhook for runs with a tag, so that runs of other scenarios are not delivered to it. */
async function subscribe(check: Check, v2: V2, body: JsonObject): Promise<string> {
  const made = await v2.http('POST', '/webhooks', { body })
  if (made.body.error === 'webhook_url_rejected') check.blocked('the host refuses a loopback receiver')
  check.equal(made.status, 201, 'POST /webhooks')
  return String(made.body.webhookId)
}

/** Subscriptions whose receivers have not answered, which a host must bear. */
const heldMin = 8
const webhookOf = ({ headers }: Delivery): string => String(headers['openwop-webhook-id'])

/** A policy that ends soon enough to be waited for. */
const shortAttempts = 3
const ofDeadLetters =
  'deliveryId webhookId runId eventId eventType attempts deadLetteredAt expiresAt reason lastStatus'.split(' ')

/** Waits for a dead letter, and returns none when there is none in time. */
async function deadLettersAt(check: Check, v2: V2, path: string): Promise<readonly JsonObject[]> {
  const deadline = Date.now() + check.patienceMs
  for (;;) {
    const read = await v2.http('GET', `${path}/dead-letters`)
    check.equal(read.status, 200, 'GET dead-letters')
    const letters = asArray(read.body.deliveries) as JsonObject[]
    if (letters.length > 0 || Date.now() >= deadline) return letters
    await pause(50)
  }
}

const eventIdOf = (delivery: Delivery): unknown => (parse(delivery).event as JsonObject).eventId

export const scenarios = [
  scenarioV2(
    'v2-webhook-durable-delivery',
    facts,
    'A delivery that fails is sent again',
    async (check, v2) => {
      const { retryPolicy } = v2.needs('webhooks') as { retryPolicy?: { maxAttempts?: unknown } }
      const attemptsMax = Number(retryPolicy?.maxAttempts)
      check.ok(attemptsMax >= 2, 'retryPolicy.maxAttempts')
      const again = async ({ receiver }: Subscription) => {
        const runId = await v2.completedRun(noop)
        const ofRun = () => receiver.deliveries.filter((one) => parse(one).runId === runId)
        await receiver.next(() => ofRun().length > 1, check.patienceMs)
        check.ok(ofRun().length > 1 && ofRun().length <= attemptsMax, 'it is sent again')
        check.equal(new Set(ofRun().map(eventIdOf)).size, 1, 'it is the same event')
      }
      // Alone: a host may rest after many refusals in a row, and other scenarios make runs too.
      const isFirst = (delivery: Delivery, earlier: readonly Delivery[]) =>
        !earlier.some((one) => parse(one).runId === parse(delivery).runId)
      await withSubscription(check, v2, again, isFirst)
    },
    { isAlone: true },
  ),

  scenarioV2(
    'v2-webhook-durable-delivery.dead-letters',
    facts,
    'A delivery that always fails becomes a dead letter without content',
    async (check, v2) => {
      const { retryPolicy, deadLetter } = v2.needs('webhooks') as JsonObject & { retryPolicy: JsonObject }
      if (deadLetter === undefined) check.inapplicable('webhooks.deadLetter is not advertised')
      if (!check.target.webhookReceiver) check.blocked('the host cannot reach a receiver here (--webhook-receiver)')
      const attemptsMax = Number(retryPolicy.maxAttempts)
      if (attemptsMax > shortAttempts) check.blocked(`a host with more than ${shortAttempts} attempts takes too long`)
      const tags = [`dead-${crypto.randomUUID()}`]
      const receiver = await startReceiver(() => true)
      let path: string | null = null
      try {
        const webhookId = await subscribe(check, v2, { url: receiver.url, events: ['run.completed'], tags })
        path = `/webhooks/${segmentOf(webhookId)}`
        const runId = await v2.completedRun({ ...noop, tags })
        const letters = await deadLettersAt(check, v2, path)
        check.equal(
          letters.map((letter) => [letter.webhookId, letter.runId, letter.eventType, letter.attempts, letter.reason]),
          [[webhookId, runId, 'run.completed', attemptsMax, 'retries_exhausted']],
          'the dead letters',
        )
        check.equal(receiver.deliveries.length, attemptsMax, 'attempts that reached the receiver')
        for (const letter of letters) {
          const unknown = Object.keys(letter).filter((name) => !ofDeadLetters.includes(name))
          check.equal(unknown, [], 'members of a dead letter beside its own')
          if ('lastStatus' in letter) check.equal(letter.lastStatus, 503, 'lastStatus')
        }
        check.equal((await v2.http('DELETE', path)).status, 204, 'DELETE')
        v2.refused(await v2.http('GET', `${path}/dead-letters`), 404, 'not_found', 'dead letters of a removed webhook')
      } finally {
        if (path !== null) await v2.http('DELETE', path)
        await receiver.close()
      }
    },
  ),

  scenarioV2('v2-webhook-delivery-shape', facts, 'A delivery has the closed body and is signed', async (check, v2) => {
    await withSubscription(check, v2, async ({ receiver, secret }) => {
      const runId = await v2.completedRun(noop)
      const delivery = await receiver.next((one) => parse(one).runId === runId, check.patienceMs)
      check.ok(delivery, 'the end of the run is delivered')
      if (delivery === undefined) return
      const { headers, raw } = delivery
      const unknown = Object.keys(parse(delivery)).filter((name) => !['runId', 'workspaceId', 'event'].includes(name))
      check.equal(unknown, [], 'members of the body')
      check.equal((parse(delivery).event as JsonObject).type, 'run.completed', 'the type of its event')
      const signed = createHmac('sha256', secret).update(`${headers['openwop-timestamp']}.${raw}`).digest('hex')
      check.equal(headers['openwop-signature'], `sha256=${signed}`, 'its signature')
    })
  }),

  scenarioV2('v2-webhook-unregister', facts, 'A removed webhook is gone, with its dead letters', async (check, v2) => {
    await withSubscription(check, v2, async ({ webhookId }) => {
      const path = `/webhooks/${segmentOf(webhookId)}`
      if ((v2.discovery.webhooks as JsonObject).deadLetter !== undefined) {
        const letters = await v2.http('GET', `${path}/dead-letters`)
        check.equal([letters.status, letters.body.deliveries], [200, []], 'its dead letters')
      }
      check.equal((await v2.http('DELETE', path)).status, 204, 'DELETE')
      v2.refused(await v2.http('DELETE', path), 404, 'not_found', 'a second DELETE')
      v2.refused(await v2.http('GET', `${path}/dead-letters`), 404, 'not_found', 'dead letters of a removed webhook')
    })
  }),

  scenarioV2(
    'v2-webhook-delivery-isolation',
    facts,
    'A delivery does not wait for the receivers of other webhooks',
    async (check, v2) => {
      v2.needs('webhooks')
      if (!check.target.webhookReceiver) check.blocked('the host cannot reach a receiver here (--webhook-receiver)')
      const tags = [`isolation-${crypto.randomUUID()}`]
      const held = new Set<string>()
      const receiver = await startReceiver((delivery) => held.has(webhookOf(delivery)) && 'held')
      const made: string[] = []
      try {
        for (let place = 0; place < heldMin; place += 1) {
          const webhookId = await subscribe(check, v2, { url: receiver.url, events: ['run.started'], tags })
          made.push(webhookId)
          held.add(webhookId)
        }
        const healthy = await subscribe(check, v2, { url: receiver.url, events: ['run.completed'], tags })
        made.push(healthy)
        await v2.createRun({ workflowId: 'conformance-delay', inputs: { delayMs: 300 }, tags })
        const delivery = await receiver.next((one) => webhookOf(one) === healthy, check.patienceMs)
        check.ok(delivery, 'the end of the run is delivered while others do not answer')
        const reached = new Set(receiver.deliveries.map(webhookOf).filter((id) => held.has(id)))
        check.equal(reached.size, heldMin, 'the others were reached too')
      } finally {
        for (const id of made) await v2.http('DELETE', `/webhooks/${segmentOf(id)}`)
        await receiver.close()
      }
    },
  ),

  scenarioV2(
    'v2-webhook-unregister-stops-delivery',
    facts,
    'Nothing is sent to a webhook after it was removed',
    async (check, v2) => {
      const stops = async ({ receiver, webhookId }: Subscription) => {
        const mine = () => receiver.deliveries.filter((one) => webhookOf(one) === webhookId)
        await v2.completedRun(noop)
        check.ok(await receiver.next((one) => webhookOf(one) === webhookId, check.patienceMs), 'it is sent at first')
        const removed = await v2.http('DELETE', `/webhooks/${segmentOf(webhookId)}`)
        check.equal(removed.status, 204, 'DELETE')
        const sent = mine().length
        const other = await subscribe(check, v2, { url: receiver.url, events: ['run.completed'] })
        const runId = await v2.completedRun(noop)
        const isNext = (one: Delivery) => webhookOf(one) === other && parse(one).runId === runId
        check.ok(await receiver.next(isNext, check.patienceMs), 'another webhook gets the next run')
        await v2.http('DELETE', `/webhooks/${segmentOf(other)}`)
        check.equal(mine().length, sent, 'deliveries after it was removed')
      }
      await withSubscription(check, v2, stops)
    },
    { isAlone: true },
  ),

  scenarioV2('v2-webhook-generated-secret', facts, 'A generated secret is shown once', async (check, v2) => {
    v2.needs('webhooks')
    const headers = { ...two, 'Idempotency-Key': `key-${crypto.randomUUID()}` }
    const draft = { url: 'https://hooks.example.com/', events: ['run.completed'] }
    const create = (body: JsonObject) => v2.http('POST', '/webhooks', { body, headers })
    const made = await create(draft)
    check.equal(made.status, 201, 'POST /webhooks')
    check.ok(String(made.body.secret ?? '').length >= 16, 'the generated secret is shown')
    const given = { ...draft, secret: `given-${crypto.randomUUID()}` }
    const own = await v2.http('POST', '/webhooks', { body: given })
    check.equal(own.body.secret, undefined, 'a given secret is not sent back')
    for (const { body } of [made, own]) await v2.http('DELETE', `/webhooks/${segmentOf(String(body.webhookId))}`)
  }),

  scenarioV2(
    'v2-webhook-secret-rotation',
    facts,
    'During the overlap the secret before the rotation signs',
    async (check, v2) => {
      const { secretRotation } = v2.needs('webhooks')
      if (secretRotation === undefined) check.inapplicable('webhooks.secretRotation is not advertised')
      await withSubscription(check, v2, async ({ receiver, webhookId, secret }) => {
        const path = `/webhooks/${segmentOf(webhookId)}/rotate-secret`
        const rotated = await v2.http('POST', path, { body: {} })
        check.equal(rotated.status, 200, 'POST rotate-secret')
        check.ok(String(rotated.body.secret ?? secret) !== secret, 'the next secret is another one')
        const runId = await v2.completedRun(noop)
        const delivery = await receiver.next((one) => parse(one).runId === runId, check.patienceMs)
        const { headers = {}, raw = '' } = delivery ?? {}
        const signed = createHmac('sha256', secret).update(`${headers['openwop-timestamp']}.${raw}`).digest('hex')
        check.equal(headers['openwop-signature'], `sha256=${signed}`, 'the signature')
      })
    },
  ),

  scenarioV2(
    'v2-webhook-egress-refusal',
    facts,
    'A webhook needs a public address and named events',
    async (check, v2) => {
      v2.needs('webhooks')
      const create = (body: JsonObject) => v2.http('POST', '/webhooks', { body })
      const https = 'https://hooks.example.com/'
      const bad = await create({ url: 'not a url', events: ['run.completed'] })
      check.refused(bad, [400], ['webhook_url_rejected', 'validation_error'], 'no address')
      v2.refused(await create({ url: https, events: ['*'] }), 400, 'validation_error', 'every event')
      v2.refused(
        await create({ url: https, events: ['run.completed'], tenantId: 'x' }),
        400,
        'validation_error',
        'a tenant',
      )
    },
  ),
]

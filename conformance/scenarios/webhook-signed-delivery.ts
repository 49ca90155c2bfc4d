// A delivery to a receiver in this process: its headers, its signature, and what a replay must not send.
import { createHash, createHmac } from 'node:crypto'
import { asArray, type Check, type JsonObject } from '../harness.ts'
import { type Delivery, type Receiver, startReceiver } from '../receiver.ts'
import { completedRun, scenario } from '../support.ts'

const facts = 'core 26.35'
/** The published suite looks for a delivery this long after the end of the run. */
const promptMs = 500
const promptTries = 12
/** How long something that must not come is waited for; by then its like has come. */
const quietMs = 500
const loopback = ['127.0.0.1', 'localhost', '[::1]']

type Subscription = {
  readonly receiver: Receiver
  readonly webhookId: string
  readonly secret: string
  readonly answer: JsonObject
}

async function withSubscription(check: Check, use: (subscription: Subscription) => Promise<void>): Promise<void> {
  check.needsFamily('webhooks')
  if (!check.target.webhookReceiver && !loopback.includes(new URL(check.target.url).hostname))
    check.blocked('the host is on another machine and cannot reach a receiver here (--webhook-receiver)')
  const receiver = await startReceiver()
  let webhookId: string | null = null
  try {
    const body = { url: receiver.url, events: ['run.completed'] }
    const answer = await check.http('POST', '/v1/webhooks', { body })
    if (answer.status === 400) check.blocked('the host refuses a loopback receiver, as it should outside of tests')
    check.equal(answer.status, 201, 'POST /v1/webhooks')
    webhookId = String(answer.body.webhookId)
    await use({ receiver, webhookId, secret: String(answer.body.secret), answer: answer.body })
  } finally {
    if (webhookId !== null) await check.http('DELETE', `/v1/webhooks/${webhookId}`)
    await receiver.close()
  }
}

const parse = ({ raw }: Delivery): JsonObject => JSON.parse(raw) as JsonObject
const ofRun = (runId: string) => (delivery: Delivery) => parse(delivery).runId === runId

export const scenarios = [
  scenario(
    'webhook-signed-delivery',
    facts,
    'A finished run is delivered, signed over the exact bytes',
    async (check) => {
      await withSubscription(check, async ({ receiver, webhookId, secret, answer }) => {
        const fingerprint = createHash('sha256').update(secret).digest('hex').slice(0, 8)
        check.equal(answer.secretFingerprint, fingerprint, 'secretFingerprint')
        const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
        const delivery = await receiver.next(ofRun(runId), check.patienceMs)
        check.ok(delivery, 'the end of the run is delivered')
        if (delivery === undefined) return
        const { headers, raw } = delivery
        check.matches(headers['content-type'], /^application\/json/, 'Content-Type')
        check.equal(headers['x-openwop-webhook-id'], webhookId, 'X-openwop-Webhook-Id')
        check.equal(headers['x-openwop-event-type'], 'run.completed', 'X-openwop-Event-Type')
        check.equal(headers['x-openwop-signature-algorithm'], 'v1', 'X-openwop-Signature-Algorithm')
        const timestamp = String(headers['x-openwop-timestamp'])
        check.matches(timestamp, /^\d{10}$/, 'X-openwop-Timestamp')
        check.ok(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300, 'the timestamp is within five minutes')
        const expected = createHmac('sha256', secret).update(`${timestamp}.${raw}`).digest('hex')
        check.ok(headers['x-openwop-signature'] === `sha256=${expected}`, 'X-openwop-Signature is right')
        for (const name of ['webhook-id', 'event-type', 'timestamp', 'signature', 'signature-algorithm']) {
          const twin = headers[`openwop-${name}`]
          if (twin !== undefined) check.equal(twin, headers[`x-openwop-${name}`], `OpenWOP-${name} and its X- twin`)
        }
        check.equal(parse(delivery).type, 'run.completed', 'type of the body')
        check.equal(parse(delivery).runId, runId, 'runId of the body')
        check.absent(raw, secret, 'the body does not hold the secret')
      })
    },
  ),

  scenario(
    'webhook-signed-delivery.prompt',
    facts,
    `A delivery comes within ${promptMs} ms of the end of its run`,
    async (check) => {
      await withSubscription(check, async ({ receiver }) => {
        // Once in time shows that the host does not wait; once late may be the fault of the machine.
        for (let tries = 0; tries < promptTries; tries += 1) {
          const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
          if (await receiver.next(ofRun(runId), promptMs)) return check.ok(true, 'a prompt delivery')
        }
        check.ok(false, `of ${promptTries} runs none was delivered within ${promptMs} ms of its end`)
      })
    },
    { isAlone: true },
  ),

  scenario('webhook-signed-delivery.removed', 'core 16', 'After its removal a webhook gets nothing', async (check) => {
    await withSubscription(check, async (kept) => {
      await withSubscription(check, async ({ receiver, webhookId }) => {
        check.equal((await check.http('DELETE', `/v1/webhooks/${webhookId}`)).status, 204, 'DELETE')
        const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
        check.ok(await kept.receiver.next(ofRun(runId), check.patienceMs), 'another webhook still gets the run')
        check.equal(await receiver.next(ofRun(runId), quietMs), undefined, 'a delivery after the removal')
      })
    })
  }),

  scenario('webhook-signed-delivery.replay', 'core 12', 'A replay delivers nothing', async (check) => {
    if (!asArray(check.family('replay')?.modes).includes('replay')) check.inapplicable('replay is not advertised')
    await withSubscription(check, async ({ receiver }) => {
      const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
      check.ok(await receiver.next(ofRun(runId), check.patienceMs), 'the source run is delivered')
      const fork = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
      check.equal(fork.status, 201, 'POST :fork')
      await check.waitFor(String(fork.body.runId))
      check.equal(await receiver.next(ofRun(String(fork.body.runId)), quietMs), undefined, 'a delivery of the replay')
    })
  }),

  scenario('webhook-signed-delivery.tenant', 'core 16', 'Runs of another tenant are not delivered', async (check) => {
    if (check.target.keyB === null) check.blocked('needs a key of another tenant (--key-b)')
    check.needsFixture('conformance-noop')
    await withSubscription(check, async ({ receiver }) => {
      const runId = await check.createRun({ workflowId: 'conformance-noop' }, { auth: 'keyB' })
      await check.waitFor(runId, undefined, { auth: 'keyB' })
      const own = await completedRun(check, { workflowId: 'conformance-noop' })
      check.ok(await receiver.next(ofRun(own.runId), check.patienceMs), 'the own run is delivered')
      check.equal(await receiver.next(ofRun(runId), quietMs), undefined, 'a delivery of another tenant’s run')
    })
  }),
]

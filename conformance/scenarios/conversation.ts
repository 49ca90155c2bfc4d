// Conversations of many turns, and the channel of messages that they are kept in.
import { asArray, at, type Check, type RunEventDoc } from '../harness.ts'
import { cancelQuietly, completedRun, hasStatus, ofType, scenario } from '../support.ts'

const facts = 'agents 12, 14'

function needsConversation(check: Check): void {
  if (check.discovery.conversationPrimitive !== true) check.inapplicable('conversationPrimitive is not advertised')
}

const turnsIn = (events: readonly RunEventDoc[]) => events.filter(({ type }) => type.startsWith('conversation.'))

function checkLifecycle(check: Check, events: readonly RunEventDoc[], exchanges: number): void {
  const turns = turnsIn(events)
  for (const event of turns) check.publishedEvent(event)
  const types = [
    'conversation.opened',
    ...Array.from({ length: exchanges }, () => 'conversation.exchanged'),
    'conversation.closed',
  ]
  check.equal(
    turns.map(({ type }) => type),
    types,
    'the events of the conversation',
  )
  check.equal(new Set(turns.map(({ payload }) => at(payload, 'conversationId'))).size, 1, 'one conversationId')
  const indexes = turns.slice(1).map(({ payload }) => at(payload, 'turnIndex'))
  check.equal(
    indexes,
    indexes.map((_, index) => index + 1),
    'the indexes of the turns',
  )
  const [suspended] = ofType(events, 'node.suspended')
  check.equal(turns[0]?.causationId, suspended?.eventId, 'conversation.opened is caused by the suspension')
  check.equal(at(suspended?.payload, 'reason'), 'conversation-input', 'the reason of node.suspended')
}

const answer = (check: Check, runId: string, resumeValue: object) =>
  check.http('POST', `/v1/runs/${runId}/interrupts/talk`, { body: { resumeValue } })

export const scenarios = [
  scenario('conversation-lifecycle', facts, 'A conversation is opened, goes on, and is closed', async (check) => {
    needsConversation(check)
    const { runId } = await completedRun(check, { workflowId: 'conformance-conversation-lifecycle' })
    checkLifecycle(check, await check.events(runId), 1)
  }),

  scenario('conversation-vs-clarification', facts, 'A conversation is no clarification', async (check) => {
    needsConversation(check)
    const { runId } = await completedRun(check, { workflowId: 'conformance-conversation-vs-clarification' })
    const events = await check.events(runId)
    check.ok(turnsIn(events).length > 0, 'there is a conversation')
    check.equal(
      events.filter(({ type }) => type.startsWith('clarification.')),
      [],
      'clarification events',
    )
  }),

  scenario('conversation-replay', facts, 'A replay has the same turns, with their ids and times', async (check) => {
    needsConversation(check)
    check.needsFamily('replay')
    const { runId, snapshot } = await completedRun(check, { workflowId: 'conformance-conversation-replay' })
    checkLifecycle(check, await check.events(runId), 3)
    const forked = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
    check.equal(forked.status, 201, 'the fork')
    const replay = await check.waitFor(String(forked.body.runId))
    check.equal(replay.status, 'completed', 'the replay ends')
    check.equal(JSON.stringify(replay.channels), JSON.stringify(snapshot.channels), 'the channels of the replay')
    const payloads = async (id: string) => turnsIn(await check.events(id)).map(({ payload }) => payload)
    check.equal(await payloads(replay.runId), await payloads(runId), 'the turns of the replay')
  }),

  scenario(
    'conversation-turns',
    facts,
    'Turns of a client are kept in the channel; only the close resumes',
    async (check) => {
      needsConversation(check)
      check.needsFixture('conformance-conversation-open')
      const runId = await check.createRun({ workflowId: 'conformance-conversation-open' })
      await check.waitFor(runId, hasStatus('waiting-approval'))
      const turn = { messageId: 'm-1', content: 'a canary that is content' }
      check.equal((await answer(check, runId, { operation: 'exchange', turn })).status, 200, 'an exchange')
      check.equal((await answer(check, runId, { operation: 'exchange', turn })).status, 200, 'the same exchange again')
      check.refused(await answer(check, runId, { operation: 'shout', turn }), [400, 422], null, 'an unknown operation')
      const open = await check.snapshot(runId)
      check.equal(open.status, 'waiting-approval', 'the run still waits')
      const messages = asArray(at(open, 'channels', 'conversation'))
      check.equal(
        messages.map((message) => at(message, 'content')),
        ['How can I help?', turn.content],
        'the channel',
      )
      check.equal(
        ofType(await check.events(runId), 'channel.written').length,
        2,
        'channel.written, one for each message',
      )
      check.absent(JSON.stringify(await check.events(runId)), turn.content, 'no event holds the text of a turn')
      const last = { operation: 'close', turn: { content: 'thanks' }, outcome: { isDone: true } }
      check.equal((await answer(check, runId, last)).status, 200, 'the close')
      check.equal((await check.waitFor(runId)).status, 'completed', 'the run ends')
      const late = await answer(check, runId, { operation: 'exchange', turn: { content: 'late' } })
      check.refused(late, [400], ['validation_error'], 'a turn after the close')
      check.equal(
        turnsIn(await check.events(runId)).at(-1)?.type,
        'conversation.closed',
        'nothing comes after the close',
      )
      await cancelQuietly(check, runId)
    },
  ),

  scenario('message-reducer', facts, 'A message is in a channel once', async (check) => {
    needsConversation(check)
    const { snapshot } = await completedRun(check, { workflowId: 'conformance-message-reducer' })
    const ids = asArray(at(snapshot, 'channels', 'messages')).map((message) => at(message, 'messageId'))
    check.equal(ids.length, 1, 'the messages of the channel')
    check.equal(new Set(ids).size, ids.length, 'their ids')
  }),
]
